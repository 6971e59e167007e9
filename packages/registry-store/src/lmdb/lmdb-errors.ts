import { statfsSync } from 'node:fs';
import { codeOf, messageOf } from '@apiserver/apimachinery/errors';
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

const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const FULL = 'database space exceeded: no space left on the disk of the store';
/** Less free space than this, in bytes, counts as none. */
const NO_SPACE = 1024 * 1024;

/** Context of a failed commit. */
export interface FailedCommit {
  /** True if the tables are unchanged. */
  readonly unchanged: boolean;
  /** Path of the data file. */
  readonly path: string;
}

/**
 * Converts the error of a failed commit. A full disk is a clean rejection if the tables are unchanged. Otherwise the
 * data may or may not be on disk, and the store must stop.
 */
export async function commitFailure(error: unknown, commit: FailedCommit): Promise<KeyValueError> {
  const cause = await rootCause(error);
  const code = numericCode(cause);
  const message = `the commit failed: ${messageOf(cause)}`;
  if (commit.unchanged && isFull(code, commit.path)) return new KeyValueError('NoSpace', FULL, { cause });
  return new KeyValueError(isCorruption(code) ? 'Corrupt' : 'Unavailable', message, { cause });
}

/** LMDB reports a short write as an input/output error, which is how a disk begins to be full. */
function isFull(code: number | undefined, path: string): boolean {
  if (code === EIO) return freeBytes(path) < NO_SPACE;
  return code === ENOSPC || code === EDQUOT || code === EFBIG || code === MDB_MAP_FULL;
}

/** Bytes that are free on the disk of `path`; infinite if unknown. */
export function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Converts the error of a failed write to the journal, of which nothing is left. */
export function journalFailure(cause: unknown): KeyValueError {
  if (FULL_CODES.has(codeOf(cause) ?? '')) return new KeyValueError('NoSpace', FULL, { cause });
  return new KeyValueError('Unavailable', `the commit failed: ${messageOf(cause)}`, { cause });
}

/** Converts the error of a failed read, which means that the file is damaged or gone. */
export function readFailure(error: unknown): unknown {
  if (isKeyValueError(error)) return error;
  const message = messageOf(error);
  return new KeyValueError(isCorruption(numericCode(error)) ? 'Corrupt' : 'Unavailable', message, { cause: error });
}

/** The error for a store that does not open, with its cause. */
export function openFailure(error: unknown, directory: string): KeyValueError {
  const corrupt = isCorruption(numericCode(error)) || String(error).includes('MDB_INVALID');
  return new KeyValueError(corrupt ? 'Corrupt' : 'Unavailable', `cannot open the store in ${directory}`, {
    cause: error,
  });
}

/**
 * The error of a batch. lmdb rejects with a general one whose `commitError` is a promise that rejects with the real one. Call
 * it for each failure: a rejection that nobody handles ends the process.
 */
export async function rootCause(error: unknown): Promise<unknown> {
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
