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

/** True for the reason, and for the code where the reason is none that is known. */
function hasReasonOrCode(error: unknown, reason: KnownStatusReason, code: number): boolean {
  const status = statusOf(error);
  if (status === undefined) return false;
  if (status.reason === reason) return true;
  return status.code === code && !(status.reason !== undefined && KNOWN_REASONS.has(status.reason));
}

/** Whether the error says that the object does not exist. */
export function isNotFound(error: unknown): boolean {
  return hasReasonOrCode(error, 'NotFound', 404);
}

/** Whether the error says that the name is taken. */
export function isAlreadyExists(error: unknown): boolean {
  return reasonForError(error) === 'AlreadyExists';
}

/** Whether the error says that the object changed meanwhile, or cannot be changed as asked. */
export function isConflict(error: unknown): boolean {
  return hasReasonOrCode(error, 'Conflict', 409);
}

/** Whether the error comes from validation. */
export function isInvalid(error: unknown): boolean {
  return hasReasonOrCode(error, 'Invalid', 422);
}

/** Whether the error says that something is gone for good. */
export function isGone(error: unknown): boolean {
  return hasReasonOrCode(error, 'Gone', 410);
}

/** Whether the error says that a resource version or continue token is too old. */
export function isResourceExpired(error: unknown): boolean {
  return reasonForError(error) === 'Expired';
}

/** Whether no acceptable media type could be produced. */
export function isNotAcceptable(error: unknown): boolean {
  return hasReasonOrCode(error, 'NotAcceptable', 406);
}

/** Whether the body's media type was refused. */
export function isUnsupportedMediaType(error: unknown): boolean {
  return hasReasonOrCode(error, 'UnsupportedMediaType', 415);
}

/** Whether the resource lacks the verb. */
export function isMethodNotSupported(error: unknown): boolean {
  return hasReasonOrCode(error, 'MethodNotAllowed', 405);
}

/** Whether the server or something it needs was not there. */
export function isServiceUnavailable(error: unknown): boolean {
  return hasReasonOrCode(error, 'ServiceUnavailable', 503);
}

/** Whether the request made no sense. */
export function isBadRequest(error: unknown): boolean {
  return hasReasonOrCode(error, 'BadRequest', 400);
}

/** Whether the request lacked credentials. */
export function isUnauthorized(error: unknown): boolean {
  return hasReasonOrCode(error, 'Unauthorized', 401);
}

/** Whether the request was not allowed. */
export function isForbidden(error: unknown): boolean {
  return hasReasonOrCode(error, 'Forbidden', 403);
}

/** Whether the time ran out while the operation may still complete. */
export function isTimeout(error: unknown): boolean {
  return hasReasonOrCode(error, 'Timeout', 504);
}

/** Whether the operation did not finish and should be tried again. */
export function isServerTimeout(error: unknown): boolean {
  return reasonForError(error) === 'ServerTimeout';
}

/** Whether the error is a bug or a broken dependency of the server. */
export function isInternalError(error: unknown): boolean {
  return hasReasonOrCode(error, 'InternalError', 500);
}

/** Whether the server asks for fewer requests; the code alone decides too, as upstream. */
export function isTooManyRequests(error: unknown): boolean {
  const status = statusOf(error);
  return status?.reason === 'TooManyRequests' || status?.code === 429;
}

/** Whether the body was too large; the code alone decides too, as upstream. */
export function isRequestEntityTooLarge(error: unknown): boolean {
  const status = statusOf(error);
  return status?.reason === 'RequestEntityTooLarge' || status?.code === 413;
}

/** Whether a stored object could not be read back. */
export function isStoreReadError(error: unknown): boolean {
  return reasonForError(error) === 'StoreReadError';
}
