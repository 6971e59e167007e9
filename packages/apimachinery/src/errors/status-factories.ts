import { aggregateMessages } from '../field/aggregate.js';
import type { FieldError } from '../field/field-error.js';
import { listedFieldErrors } from '../field/listed-field-errors.js';
import { quote } from '../text/quote.js';
import { formatGroupKind, formatGroupResource, type GroupKind, type GroupResource } from '../types/group-version.js';
import {
  CAUSE_RESOURCE_VERSION_TOO_LARGE,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from '../types/status.js';
import { messageOf } from './message-of.js';
import { StatusError } from './status-error.js';

/** The details of a failure, before empty members are dropped. */
interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A failed Status with its keys in wire order; empty parts are absent, as on the wire. */
export function failureStatus(
  code: number,
  reason: StatusReason | undefined,
  message: string,
  details?: Details,
): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    ...(message === '' ? undefined : { message }),
    ...(reason === undefined ? undefined : { reason }),
    ...(details === undefined ? undefined : { details: statusDetails(details) }),
    ...(code === 0 ? undefined : { code }),
  };
}

function statusDetails(details: Details): StatusDetails {
  const { name, group, kind, causes, retryAfterSeconds } = details;
  return {
    ...(name ? { name } : undefined),
    ...(group ? { group } : undefined),
    ...(kind ? { kind } : undefined),
    ...(causes && causes.length > 0 ? { causes: [...causes] } : undefined),
    ...(retryAfterSeconds ? { retryAfterSeconds } : undefined),
  };
}

function failure(code: number, reason: StatusReason, message: string, details?: Details): StatusError {
  return new StatusError(failureStatus(code, reason, message, details));
}

function about(gr: GroupResource, name: string): Details {
  return { group: gr.group, kind: gr.resource, name };
}

/** 400: the request is malformed. */
export function newBadRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message);
}

/** 401: the client is not authenticated. An empty reason reads `not authorized`. */
export function newUnauthorized(reason: string): StatusError {
  return failure(401, 'Unauthorized', reason === '' ? 'not authorized' : reason);
}

/** 403: `cause` (an error or its text) is the reason. An empty resource and an empty name shorten the message. */
export function newForbidden(gr: GroupResource, name: string, cause: unknown): StatusError {
  return failure(403, 'Forbidden', `${forbiddenSubject(gr, name)}forbidden: ${messageOf(cause)}`, about(gr, name));
}

function forbiddenSubject(gr: GroupResource, name: string): string {
  if (gr.group === '' && gr.resource === '') return '';
  return name === '' ? `${formatGroupResource(gr)} is ` : `${formatGroupResource(gr)} ${quote(name)} is `;
}

/** 404: there is no object of that name. */
export function newNotFound(gr: GroupResource, name: string): StatusError {
  return failure(404, 'NotFound', `${formatGroupResource(gr)} ${quote(name)} not found`, about(gr, name));
}

/** 405: the resource lacks the verb; `action` is the verb as the message names it. */
export function newMethodNotSupported(gr: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${quote(formatGroupResource(gr))}`;
  return failure(405, 'MethodNotAllowed', message, { group: gr.group, kind: gr.resource });
}

/** 406: none of the media types the client accepts can be produced. */
export function newNotAcceptable(message: string): StatusError {
  return failure(406, 'NotAcceptable', message);
}

/** 409: the name is taken. */
export function newAlreadyExists(gr: GroupResource, name: string): StatusError {
  return failure(409, 'AlreadyExists', `${formatGroupResource(gr)} ${quote(name)} already exists`, about(gr, name));
}

/** 409: every generated name was taken; the client may retry after `retryAfterSeconds`. */
export function newGenerateNameConflict(gr: GroupResource, name: string, retryAfterSeconds: number): StatusError {
  const message =
    `${formatGroupResource(gr)} ${quote(name)} already exists, ` +
    'the server was not able to generate a unique name for the object';
  return failure(409, 'AlreadyExists', message, { ...about(gr, name), retryAfterSeconds });
}

/** 409: the requested change conflicts with the object's state; `cause` (an error or its text) is the reason. */
export function newConflict(gr: GroupResource, name: string, cause: unknown): StatusError {
  const message = `Operation cannot be fulfilled on ${formatGroupResource(gr)} ${quote(name)}: ${messageOf(cause)}`;
  return failure(409, 'Conflict', message, about(gr, name));
}

/** 409: a server-side apply would take fields from other managers; one cause per field. */
export function newApplyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return failure(409, 'Conflict', message, { causes });
}

/** 410: the resource version or continue token is too old; the client must list again. */
export function newResourceExpired(message: string): StatusError {
  return failure(410, 'Expired', message);
}

/** 413: the body is larger than the limit. */
export function newRequestEntityTooLarge(message: string): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

/** 415: the server does not support the body's format. */
export function newUnsupportedMediaType(message: string): StatusError {
  return failure(415, 'UnsupportedMediaType', message);
}

/**
 * 422: the object did not pass validation; one cause per field error. Of very many or very long errors, only the first
 * ones are listed, with the number of the others.
 */
export function newInvalid(gk: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const listed = listedFieldErrors(errors);
  const causes = listed.map(({ error, body }) => ({
    reason: error.type,
    message: body,
    ...(error.field === '' ? undefined : { field: error.field }),
  }));
  const subject = `${formatGroupKind(gk)} ${quote(name)} is invalid`;
  const messages = listed.map(({ error, body }) => `${error.field}: ${body}`);
  const message = errors.length === 0 ? subject : `${subject}: ${aggregateMessages(messages)}`;
  return failure(422, 'Invalid', message, { name, group: gk.group, kind: gk.kind, causes });
}

/** 429: the client should wait `retryAfterSeconds`. */
export function newTooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, 'TooManyRequests', message, { retryAfterSeconds });
}

/** 500: a bug or a broken dependency; the message includes `cause` (an error or its text). */
export function newInternalError(cause: unknown): StatusError {
  const message = messageOf(cause);
  const causes = message === '' ? [{}] : [{ message }];
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes });
}

/** 500: the operation did not finish and may be tried again. */
export function newServerTimeout(gr: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
  const message =
    `The ${operation} operation against ${formatGroupResource(gr)} ` +
    'could not be completed at this time, please try again.';
  return failure(500, 'ServerTimeout', message, { ...about(gr, operation), retryAfterSeconds });
}

/** 503: the server or one of its dependencies is currently unavailable. */
export function newServiceUnavailable(message: string): StatusError {
  return failure(503, 'ServiceUnavailable', message);
}

/** 504: the time ran out; the operation may still complete. */
export function newTimeout(message: string, retryAfterSeconds: number): StatusError {
  return failure(504, 'Timeout', `Timeout: ${message}`, { retryAfterSeconds });
}

/**
 * 504: the requested resource version is newer than the server's.
 *
 * Upstream: k8s.io/apiserver/pkg/storage/errors.go
 */
export function newTooLargeResourceVersion(
  minimum: number | bigint,
  current: number | bigint,
  retryAfterSeconds: number,
): StatusError {
  const causes = [{ reason: CAUSE_RESOURCE_VERSION_TOO_LARGE, message: 'Too large resource version' }];
  const message = `Timeout: Too large resource version: ${minimum}, current: ${current}`;
  return failure(504, 'Timeout', message, { causes, retryAfterSeconds });
}
