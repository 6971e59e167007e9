import { StatusError } from './status-error.js';
import { failureStatus } from './status-factories.js';

/**
 * A failure with a message and a code, without a reason, as upstream returns for errors that are not a Status.
 *
 * Upstream: ErrorToAPIStatus in k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/status.go
 */
export function plainFailure(code: number, message: string): StatusError {
  return new StatusError(failureStatus(code, undefined, message));
}
