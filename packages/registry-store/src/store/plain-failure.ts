import { StatusError } from '@apiserver/apimachinery/errors';

/**
 * A 500 that has a message and no reason: what upstream answers for errors that its storage layer does not wrap,
 * and clients have come to see.
 */
export function newPlainFailure(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
