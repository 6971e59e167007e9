/**
 * - Compacted: the requested revision is gone; `revision` is the compacted one.
 * - FutureRevision: the requested revision has not happened; `revision` is the newest.
 * - InUse: another process has the store open.
 * - NoSpace, Unavailable, Corrupt: the disk or the server behind the store. After Unavailable a write may have
 *   happened.
 * - Closed: the store was closed.
 */
export type KeyValueErrorCode =
  | 'Compacted'
  | 'FutureRevision'
  | 'InUse'
  | 'NoSpace'
  | 'TooLarge'
  | 'Unavailable'
  | 'Corrupt'
  | 'Closed';

/** A failure of a KeyValueStore. `keyValueErrorCode` is the brand: check it with isKeyValueError. */
export class KeyValueError extends Error {
  readonly keyValueErrorCode: KeyValueErrorCode;
  /** For Compacted and FutureRevision, see the codes; else 0. */
  readonly revision: number;

  constructor(code: KeyValueErrorCode, message: string, options: { revision?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KeyValueError';
    this.keyValueErrorCode = code;
    this.revision = options.revision ?? 0;
  }
}

/** True for KeyValueErrors, also those of another copy of this package. */
export function isKeyValueError(error: unknown): error is KeyValueError {
  return error instanceof Error && 'keyValueErrorCode' in error;
}

/** The history at and below `compactedRevision` is gone. */
export function compactedError(compactedRevision: number): KeyValueError {
  return new KeyValueError('Compacted', `required revision has been compacted (${compactedRevision})`, {
    revision: compactedRevision,
  });
}

/** A read of a revision that has not been given yet. */
export function futureRevisionError(currentRevision: number): KeyValueError {
  return new KeyValueError('FutureRevision', `required revision is a future revision (newest: ${currentRevision})`, {
    revision: currentRevision,
  });
}
