import type { GroupResource } from '@apiserver/apimachinery';
import {
  isStatusError,
  newAlreadyExists,
  newConflict,
  newInternalError,
  newNotFound,
  newResourceExpired,
  newServerTimeout,
  newTooLargeResourceVersion,
  plainFailure,
  StatusError,
} from '@apiserver/apimachinery/errors';
import { isKeyValueError, type KeyValueError } from './key-value-error.js';
import { isStorageError, StorageError } from './storage-error.js';

/** The operation in the message of a failure. */
export type StorageOperation = 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete';

const RETRY_SECONDS = 2;

/**
 * Converts failures of storage to errors for the client. StatusErrors and bugs pass unchanged.
 * Upstream: k8s.io/apiserver/pkg/storage/errors/storage.go
 */
export function interpretError(
  error: unknown,
  resource: GroupResource,
  name: string,
  operation: StorageOperation = 'get',
): unknown {
  if (isStatusError(error)) return error;
  if (isStorageError(error)) return statusOf(error, resource, name, operation);
  if (isKeyValueError(error)) return statusOf(storageErrorOf(error, ''), resource, name, operation);
  return error;
}

/** Converts a failure of the underlying store to a StorageError about `key`. */
export function storageErrorOf(error: KeyValueError, key: string): StorageError {
  const { message } = error;
  switch (error.keyValueErrorCode) {
    case 'NoSpace':
      return new StorageError('NoSpace', key, { message, cause: error });
    case 'TooLarge':
      return new StorageError('TooLarge', key, { message, cause: error });
    case 'Corrupt':
      return new StorageError('Corrupt', key, { message, cause: error });
    default:
      return new StorageError('Unavailable', key, { message, cause: error });
  }
}

function statusOf(
  error: StorageError,
  resource: GroupResource,
  name: string,
  operation: StorageOperation,
): StatusError {
  switch (error.storageErrorCode) {
    case 'KeyNotFound':
      return newNotFound(resource, operation === 'list' ? '' : name);
    case 'KeyExists':
      if (operation === 'update' || operation === 'delete') return newConflict(resource, name, error);
      return newAlreadyExists(resource, name);
    case 'ResourceVersionConflicts':
    case 'InvalidPreconditions':
    case 'InvalidObject':
      return newConflict(resource, name, error);
    case 'Expired':
      return expired(error);
    case 'TooLargeResourceVersion':
      return tooLargeResourceVersion(error);
    case 'Unavailable':
      return isOfStore(error) ? failureOf(error) : newServerTimeout(resource, operation, RETRY_SECONDS);
    case 'Timeout':
      return newServerTimeout(resource, operation, RETRY_SECONDS);
    // The writer may shorten the object and retry.
    case 'TooLarge':
      return failureOf(error);
    case 'Transform':
      return newInternalError(new Error(error.details.message ?? '', { cause: error }));
    case 'NoSpace':
      return noSpace(error);
    case 'Corrupt':
      return error.details.plain === true ? failureOf(error) : newInternalError(error);
  }
}

/** True for a failure of etcd, of the connection to it, or of the disk. A closed store does nothing. */
function isOfStore({ cause }: StorageError): boolean {
  return isKeyValueError(cause) && cause.keyValueErrorCode === 'Unavailable';
}

/**
 * The message, which upstream does not wrap. Nothing tells the client to retry: a write may have happened.
 * Upstream: etcd3/store.go
 */
function failureOf(error: StorageError): StatusError {
  const failure = plainFailure(500, error.details.message ?? error.message);
  failure.cause = error;
  return failure;
}

function expired(error: StorageError): StatusError {
  const base = newResourceExpired(error.details.message ?? '');
  const token = error.details.continueToken;
  return token === undefined ? base : new StatusError({ ...base.status, metadata: { continue: token } });
}

/** etcd's message, as upstream. A full local disk has a reason. */
function noSpace(error: StorageError): StatusError {
  const message = error.details.message ?? error.message;
  return message.startsWith('etcdserver: ') ? plainFailure(500, message) : newInternalError(message);
}

function tooLargeResourceVersion(error: StorageError): StatusError {
  const { minimum, current, retryAfterSeconds } = error.details.tooLarge ?? {
    minimum: 0,
    current: 0,
    retryAfterSeconds: 0,
  };
  return newTooLargeResourceVersion(minimum, current, retryAfterSeconds);
}
