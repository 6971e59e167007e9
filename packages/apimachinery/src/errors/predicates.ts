import type { KnownStatusReason } from '../types/status.js';
import { reasonForError, statusOf } from './status-error.js';

const KNOWN_REASONS: ReadonlySet<string> = new Set<KnownStatusReason>([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StoreReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);

/** True for the reason, and for the code if the reason is unknown. */
function hasReasonOrCode(error: unknown, reason: KnownStatusReason, code: number): boolean {
  const status = statusOf(error);
  if (status === undefined) return false;
  if (status.reason === reason) return true;
  return status.code === code && !(status.reason !== undefined && KNOWN_REASONS.has(status.reason));
}

/** Reports whether the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return hasReasonOrCode(error, 'NotFound', 404);
}

/** Reports whether the name is taken. */
export function isAlreadyExists(error: unknown): boolean {
  return reasonForError(error) === 'AlreadyExists';
}

/** Reports whether the object changed in the meantime, or the requested change conflicts with its state. */
export function isConflict(error: unknown): boolean {
  return hasReasonOrCode(error, 'Conflict', 409);
}

/** Reports whether the error comes from validation. */
export function isInvalid(error: unknown): boolean {
  return hasReasonOrCode(error, 'Invalid', 422);
}

/** Reports whether something is permanently gone. */
export function isGone(error: unknown): boolean {
  return hasReasonOrCode(error, 'Gone', 410);
}

/** Reports whether a resource version or continue token is too old. */
export function isResourceExpired(error: unknown): boolean {
  return reasonForError(error) === 'Expired';
}

/** Reports whether no acceptable media type could be produced. */
export function isNotAcceptable(error: unknown): boolean {
  return hasReasonOrCode(error, 'NotAcceptable', 406);
}

/** Reports whether the body's media type was rejected. */
export function isUnsupportedMediaType(error: unknown): boolean {
  return hasReasonOrCode(error, 'UnsupportedMediaType', 415);
}

/** Reports whether the resource lacks the verb. */
export function isMethodNotSupported(error: unknown): boolean {
  return hasReasonOrCode(error, 'MethodNotAllowed', 405);
}

/** Reports whether the server or one of its dependencies was unavailable. */
export function isServiceUnavailable(error: unknown): boolean {
  return hasReasonOrCode(error, 'ServiceUnavailable', 503);
}

/** Reports whether the request was malformed. */
export function isBadRequest(error: unknown): boolean {
  return hasReasonOrCode(error, 'BadRequest', 400);
}

/** Reports whether the request lacked credentials. */
export function isUnauthorized(error: unknown): boolean {
  return hasReasonOrCode(error, 'Unauthorized', 401);
}

/** Reports whether the request was not allowed. */
export function isForbidden(error: unknown): boolean {
  return hasReasonOrCode(error, 'Forbidden', 403);
}

/** Reports whether the time ran out while the operation may still complete. */
export function isTimeout(error: unknown): boolean {
  return hasReasonOrCode(error, 'Timeout', 504);
}

/** Reports whether the operation did not finish and should be tried again. */
export function isServerTimeout(error: unknown): boolean {
  return reasonForError(error) === 'ServerTimeout';
}

/** Reports whether the error is a bug or a broken dependency of the server. */
export function isInternalError(error: unknown): boolean {
  return hasReasonOrCode(error, 'InternalError', 500);
}

/** Reports whether the server asks for fewer requests; the code alone suffices, as upstream. */
export function isTooManyRequests(error: unknown): boolean {
  const status = statusOf(error);
  return status?.reason === 'TooManyRequests' || status?.code === 429;
}

/** Reports whether the body was too large; the code alone suffices, as upstream. */
export function isRequestEntityTooLarge(error: unknown): boolean {
  const status = statusOf(error);
  return status?.reason === 'RequestEntityTooLarge' || status?.code === 413;
}
