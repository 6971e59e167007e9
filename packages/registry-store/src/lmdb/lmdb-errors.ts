import { statfsSync } from 'node:fs';
import { messageOf } from '@apiserver/apimachinery/errors';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';

const EIO = 5;
const EFBIG = 27;
const ENOSPC = 28;
const EDQUOT = 122;
const MDB_MAP_FULL = -30792;
const MDB_INVALID = -30793;
const MDB_CORRUPTED = -30796;
const MDB_PAGE_NOTFOUND = -30797;
const MDB_VERSION_MISMATCH = -30794;

const FULL = 'database space exceeded: no space left on the disk of the store';
/** Less than this, in bytes, is none. */
const NO_SPACE = 1024 * 1024;

/** What is known about a commit that failed. */
export interface FailedCommit {
  /** The tables are as before it. */
  readonly unchanged: boolean;
  /** The data file. */
  readonly path: string;
}

/**
 * The error for a commit that failed. A full disk is a clean refusal as long as the tables are as before. When they have
 * changed, the data is there but not known to be on the disk, and nothing can be promised.
 */
export async function commitFailure(error: unknown, commit: FailedCommit): Promise<KeyValueError> {
  const cause = await rootCause(error);
  const code = numericCode(cause);
  const message = `the commit failed: ${messageOf(cause)}`;
  if (commit.unchanged && isFull(code, commit.path)) return new KeyValueError('NoSpace', FULL, { cause });
  return new KeyValueError(isCorruption(code) ? 'Corrupt' : 'Unavailable', message, { cause });
}

/** LMDB calls it an input/output error when less was written than was to be, which is how a disk begins to be full. */
function isFull(code: number | undefined, path: string): boolean {
  if (code === EIO) return freeBytes(path) < NO_SPACE;
  return code === ENOSPC || code === EDQUOT || code === EFBIG || code === MDB_MAP_FULL;
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The error for a read that failed, which happens only when the file is damaged or has gone. */
export function readFailure(error: unknown): unknown {
  if (isKeyValueError(error)) return error;
  const message = messageOf(error);
  return new KeyValueError(isCorruption(numericCode(error)) ? 'Corrupt' : 'Unavailable', message, { cause: error });
}

/** The error for a store that does not open; the reason is its cause. */
export function openFailure(error: unknown, directory: string): KeyValueError {
  const corrupt = isCorruption(numericCode(error)) || String(error).includes('MDB_INVALID');
  return new KeyValueError(corrupt ? 'Corrupt' : 'Unavailable', `cannot open the store in ${directory}`, {
    cause: error,
  });
}

/** lmdb rejects a batch with a general error whose `commitError` is a promise that rejects with the real one. */
async function rootCause(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  const general = new Promise<unknown>((resolve) => setTimeout(resolve, 1000, error));
  return await Promise.race([Promise.resolve(error.commitError).catch((cause: unknown) => cause), general]);
}

function numericCode(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

function isCorruption(code: number | undefined): boolean {
  return code === MDB_INVALID || code === MDB_CORRUPTED || code === MDB_PAGE_NOTFOUND || code === MDB_VERSION_MISMATCH;
}
