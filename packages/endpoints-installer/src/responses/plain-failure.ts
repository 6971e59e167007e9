import { StatusError } from '@apiserver/apimachinery/errors';

/**
 * A failure that says nothing but its text and code: what upstream answers where its handlers pass on an error that is
 * no Status.
 *
 * Upstream: ErrorToAPIStatus in k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/status.go
 */
export function plainFailure(code: number, message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code });
}
