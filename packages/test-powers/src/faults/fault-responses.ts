import type { StatusFault } from './fault-rule.js';

/** Further fields of a response. */
export type ResponseOptions = Omit<StatusFault, 'reason'>;

/** 409: somebody else has changed the object. */
export function conflict(options: ResponseOptions = {}): StatusFault {
  return { reason: 'Conflict', ...options };
}

/** 409: the name is taken. */
export function alreadyExists(options: ResponseOptions = {}): StatusFault {
  return { reason: 'AlreadyExists', ...options };
}

/** 404 */
export function notFound(options: ResponseOptions = {}): StatusFault {
  return { reason: 'NotFound', ...options };
}

/** 429. Default: the client should wait for a second. */
export function tooManyRequests(options: ResponseOptions = {}): StatusFault {
  return { reason: 'TooManyRequests', ...options };
}

/** 500 */
export function internalError(options: ResponseOptions = {}): StatusFault {
  return { reason: 'InternalError', ...options };
}

/** 503 */
export function serviceUnavailable(options: ResponseOptions = {}): StatusFault {
  return { reason: 'ServiceUnavailable', ...options };
}

/** 504: the request may still take effect. */
export function timeout(options: ResponseOptions = {}): StatusFault {
  return { reason: 'Timeout', ...options };
}

/** 403, as authorization refuses the request. */
export function forbidden(options: ResponseOptions = {}): StatusFault {
  return { reason: 'Forbidden', ...options };
}

/** 410: the version of a list or a watch is too old. */
export function expired(options: ResponseOptions = {}): StatusFault {
  return { reason: 'Expired', ...options };
}
