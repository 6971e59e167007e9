import { StatusError } from '@apiserver/apimachinery/errors';

/** A failure that says nothing but its text and code: what upstream makes of an error that is no Status. */
export function plainFailure(code: number, message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code });
}
