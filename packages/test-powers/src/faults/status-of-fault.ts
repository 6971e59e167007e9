import type { GroupResource } from '@apiserver/apimachinery';
import {
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newForbidden,
  newInternalError,
  newNotFound,
  newResourceExpired,
  newServerTimeout,
  newServiceUnavailable,
  newTimeout,
  newTooManyRequests,
  newUnauthorized,
  StatusError,
} from '@apiserver/apimachinery/errors';
import { isReadOnlyVerb, type UserInfo, wellKnownUsers } from '@apiserver/apiserver-contracts';
import { forbiddenError } from '@apiserver/endpoints-installer';
import { EXPIRED_LIST } from '@apiserver/registry-store';
import type { SelectedRequest } from '../matching/request-selector.js';
import type { FaultReason, StatusFault } from './fault-rule.js';

/** Upstream: OptimisticLockErrorMsg of k8s.io/apiserver/pkg/registry/generic/registry/store.go */
const LOCKED = 'the object has been modified; please apply your changes to the latest version and try again';
/** Upstream: tooManyRequests of k8s.io/apiserver/pkg/server/filters/maxinflight.go */
const TOO_MANY = 'Too many requests, please try again later.';
/** Upstream: k8s.io/apiserver/pkg/endpoints/handlers/finisher/finisher.go */
const LATE = 'request did not complete within requested timeout - context deadline exceeded';
/** Upstream: k8s.io/apiserver/pkg/server/filters/waitgroup.go */
const SHUTTING_DOWN = 'apiserver is shutting down';

/** The subject of a Status. */
export interface FaultSubject {
  readonly request: SelectedRequest;
  readonly user: UserInfo | undefined;
  /** The name of the object, also of one that is created. */
  readonly name: string;
}

interface Wording extends FaultSubject {
  readonly resource: GroupResource;
  readonly message: string | undefined;
  readonly retryAfter: number | undefined;
}

const makers: Readonly<Record<FaultReason, (wording: Wording) => StatusError>> = {
  AlreadyExists: ({ resource, name }) => newAlreadyExists(resource, name),
  BadRequest: ({ message = 'the request is refused by a fault' }) => newBadRequest(message),
  Conflict: ({ resource, name, message = LOCKED }) => newConflict(resource, name, message),
  Expired: ({ message = EXPIRED_LIST }) => newResourceExpired(message),
  Forbidden: (wording) => forbidden(wording),
  InternalError: ({ message = 'a fault is injected' }) => newInternalError(message),
  NotFound: ({ resource, name }) => newNotFound(resource, name),
  ServerTimeout: ({ resource, request, retryAfter = 0 }) => newServerTimeout(resource, request.verb, retryAfter),
  ServiceUnavailable: ({ message = SHUTTING_DOWN }) => newServiceUnavailable(message),
  Timeout: ({ message = LATE, retryAfter = 0 }) => newTimeout(message, retryAfter),
  TooManyRequests: ({ message = TOO_MANY, retryAfter = 1 }) => newTooManyRequests(message, retryAfter),
  Unauthorized: ({ message = 'Unauthorized' }) => newUnauthorized(message),
};

/** Makes the Status that the server itself would respond with for this request. */
export function statusOfFault({ reason, message, retryAfter }: StatusFault, subject: FaultSubject): StatusError {
  const { group, resource } = subject.request;
  const { status } = makers[reason]({ ...subject, resource: { group, resource }, message, retryAfter });
  return new StatusError({
    ...status,
    ...(message !== undefined && !status.message?.includes(message) && { message }),
    ...(retryAfter !== undefined && { details: { ...status.details, retryAfterSeconds: retryAfter } }),
  });
}

function forbidden({ request, user, name, resource, message }: Wording): StatusError {
  if (message !== undefined) return newForbidden(resource, name, message);
  const anonymous: UserInfo = { name: wellKnownUsers.anonymous, groups: [], extra: {} };
  const attributes = {
    ...request,
    user: user ?? anonymous,
    name,
    apiGroup: request.group,
    apiVersion: request.version,
    isResourceRequest: request.resource !== '',
    readOnly: isReadOnlyVerb(request.verb),
  };
  return forbiddenError(attributes, '');
}
