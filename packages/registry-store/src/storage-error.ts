import { messageOf } from '@apiserver/apimachinery/errors';
import type { StorageErrorCode, StorageErrorLike } from '@apiserver/apiserver-contracts';
import { isKeyValueError } from './key-value-error.js';

/** Upstream's names and numbers, which appear in the message of a failed precondition. */
const UPSTREAM: Readonly<Record<StorageErrorCode, readonly [number: number, text: string]>> = {
  KeyNotFound: [1, 'key not found'],
  KeyExists: [2, 'key exists'],
  ResourceVersionConflicts: [3, 'resource version conflicts'],
  InvalidPreconditions: [4, 'invalid object'],
  InvalidObject: [4, 'invalid object'],
  Unavailable: [5, 'server unreachable'],
  NoSpace: [5, 'server unreachable'],
  TooLarge: [5, 'server unreachable'],
  Timeout: [6, 'request timeout'],
  Corrupt: [7, 'corrupt object'],
  Transform: [0, 'internal error'],
  Expired: [0, 'expired'],
  TooLargeResourceVersion: [0, 'too large resource version'],
};

interface StorageErrorDetails {
  /** Revision of the found object, if any. */
  readonly resourceVersion?: number;
  readonly message?: string;
  readonly cause?: unknown;
  /** Expired: a token for the next page of an inconsistent list. */
  readonly continueToken?: string;
  /** Corrupt: clients receive only the message, in upstream's words. */
  readonly plain?: true;
  /** TooLargeResourceVersion: the requested version, the current one, and the retry delay (0: none). */
  readonly tooLarge?: {
    readonly minimum: number | bigint;
    readonly current: number;
    readonly retryAfterSeconds: number;
  };
}

/**
 * A failure of object storage. Made by the factories, recognised by isStorageError.
 * Upstream: k8s.io/apiserver/pkg/storage/errors.go
 */
export class StorageError extends Error implements StorageErrorLike {
  readonly storageErrorCode: StorageErrorCode;
  /** The full key, including the root. */
  readonly key: string;
  readonly details: StorageErrorDetails;

  constructor(code: StorageErrorCode, key: string, details: StorageErrorDetails = {}) {
    const [number, text] = UPSTREAM[code];
    super(
      `StorageError: ${text}, Code: ${number}, Key: ${key}, ResourceVersion: ${details.resourceVersion ?? 0}, ` +
        `AdditionalErrorMsg: ${details.message ?? '<nil>'}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = 'StorageError';
    this.storageErrorCode = code;
    this.key = key;
    this.details = details;
  }
}

/** True for StorageErrors, also those of another copy of this package. */
export function isStorageError(error: unknown): error is StorageError {
  return error instanceof Error && 'storageErrorCode' in error;
}

/** Reports whether a read or a write found nothing under its key. */
export function isKeyNotFound(error: unknown): boolean {
  return isStorageError(error) && error.storageErrorCode === 'KeyNotFound';
}

/** Reports whether a create found an existing key. */
export function isKeyExists(error: unknown): boolean {
  return isStorageError(error) && error.storageErrorCode === 'KeyExists';
}

/** `resourceVersion` is the revision of the look-up. */
export function newKeyNotFoundError(key: string, resourceVersion = 0): StorageError {
  return new StorageError('KeyNotFound', key, { resourceVersion });
}

/** `resourceVersion` is the revision at which the key existed. */
export function newKeyExistsError(key: string, resourceVersion = 0): StorageError {
  return new StorageError('KeyExists', key, { resourceVersion });
}

/** The stored object does not have the required uid or resourceVersion. */
export function newInvalidPreconditionsError(key: string, message: string): StorageError {
  return new StorageError('InvalidPreconditions', key, { message });
}

/** The requested history is gone. `message` is for the client. */
export function newExpiredError(key: string, message: string, continueToken?: string): StorageError {
  return new StorageError('Expired', key, { message, ...(continueToken === undefined ? {} : { continueToken }) });
}

/** The requested version has not happened. */
export function newTooLargeResourceVersionError(
  key: string,
  tooLarge: { readonly minimum: number | bigint; readonly current: number; readonly retryAfterSeconds: number },
): StorageError {
  return new StorageError('TooLargeResourceVersion', key, { tooLarge });
}

/** The same error with all digits of the requested version: a number loses those beyond 2^53. */
export function withAllDigits(error: unknown, requested: string | undefined): unknown {
  if (requested === undefined || !isStorageError(error)) return error;
  const { tooLarge } = error.details;
  if (tooLarge === undefined || tooLarge.minimum !== Number(requested)) return error;
  return newTooLargeResourceVersionError(error.key, { ...tooLarge, minimum: BigInt(requested) });
}

/** A transformer failed on the key's value. `message` is for the client. Upstream: storage.NewInternalError */
export function newTransformError(key: string, message: string, cause: unknown): StorageError {
  return new StorageError('Transform', key, { message, cause });
}

/** Reports whether the object exists but is permanently unreadable, unless a key or the object changes. */
export function isUnreadable(error: unknown): boolean {
  return isStorageError(error) && (error.storageErrorCode === 'Corrupt' || error.storageErrorCode === 'Transform');
}

/** The value under the key cannot be decoded. The message is the decoder's, or the store's report of damage. */
export function newCorruptObjectError(key: string, cause: unknown): StorageError {
  const message = messageOf(cause);
  return new StorageError('Corrupt', key, { message, cause, ...(isKeyValueError(cause) ? {} : { plain: true }) });
}

/** The same as upstream reports it where such objects can be deleted. Upstream: storage.NewCorruptObjError */
export function newReportedCorruptObjectError(key: string, message: string, cause: unknown): StorageError {
  return new StorageError('Corrupt', key, { message, cause });
}
