import { Buffer } from 'node:buffer';
import { accessSync, closeSync, constants, existsSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { messageOf } from '@apiserver/apimachinery/errors';
import type * as Lmdb from 'lmdb';
import type { RootDatabase, RootDatabaseOptions } from 'lmdb';
import { KeyValueError } from '../key-value-error.js';

/** An LMDB environment with its single B-tree. */
export type LmdbDatabase = RootDatabase<Buffer, Buffer>;

/** Settings of `openEnvironment`. */
export interface EnvironmentOptions {
  /** False: commits do not wait for the disk. */
  readonly fsync?: boolean;
  /** True: nothing is written but the lock file, and that only where possible. */
  readonly readOnly?: boolean;
}

/**
 * Opens a data file that `checkDataFile` has accepted, or that does not exist yet. A commit is acknowledged when LMDB
 * has synced it: `overlappingSync: false` makes the commit itself wait for the disk.
 */
export async function openEnvironment(path: string, options: EnvironmentOptions = {}): Promise<LmdbDatabase> {
  checkDescriptors();
  const { open } = await loadLmdb();
  checkDescriptors();
  const { fsync = true, readOnly = false } = options;
  if (!readOnly) {
    allocateLockFile(`${path}-lock`);
    checkWritable(`${path}-lock`);
    if (existsSync(path)) checkWritable(path);
    else checkRoom(path);
  }
  return open<Buffer, Buffer>(path, { ...settings, ...permissions, noSync: !fsync, readOnly });
}

/**
 * lmdb is loaded on first use, because processes with another backend do not load it. A bundle or an executable of one
 * file may lack its native library. Throws Unavailable with the reason.
 */
export async function loadLmdb(load: () => Promise<typeof Lmdb> = () => import('lmdb')): Promise<typeof Lmdb> {
  try {
    return await load();
  } catch (cause) {
    const [reason] = messageOf(cause).split('\n');
    throw new KeyValueError('Unavailable', `cannot load lmdb, which has a native library: ${reason}`, { cause });
  }
}

/** Descriptors that an environment and its threads may take while it is opened. */
const DESCRIPTORS = 8;

/**
 * LMDB kills the process if it cannot open one of its files. Throws Node's error, or KeyValueError. The file is not
 * opened: closing it would release the locks that this process has on it.
 */
function checkWritable(path: string): void {
  if (!statSync(path).isFile()) throw new KeyValueError('Unavailable', `${path} is not a file`);
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** The same for too many open files. */
function checkDescriptors(): void {
  const taken: number[] = [];
  try {
    while (taken.length < DESCRIPTORS) taken.push(openSync(devNull, 'r'));
  } finally {
    for (const descriptor of taken) closeSync(descriptor);
  }
}

/** Bytes of a new lock file: LMDB uses a few more than two pages. */
const LOCK_BYTES = 12_288;

/**
 * LMDB maps the lock file, and makes a new one without blocks: on a full disk, its first access would kill the process.
 * Throws Node's error for that.
 */
function allocateLockFile(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  try {
    writeFileSync(path, Buffer.alloc(LOCK_BYTES), { mode: 0o600 });
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Bytes of the first pages of a new data file, and some more. */
const FIRST_PAGES = 16_384;

/**
 * LMDB kills the process if it cannot write the first pages of a new data file, and takes no file that has others. Throws
 * Node's error where the disk has no room for them.
 */
function checkRoom(path: string): void {
  const trial = `${path}-room`;
  try {
    writeFileSync(trial, Buffer.alloc(FIRST_PAGES), { mode: 0o600 });
  } finally {
    rmSync(trial, { force: true });
  }
}

const settings: RootDatabaseOptions = {
  noSubdir: true,
  encoding: 'binary',
  keyEncoding: 'binary',
  overlappingSync: false,
  // Every commit is one explicit batch; lmdb's own batching creates a promise that cannot be caught when a commit
  // fails.
  eventTurnBatching: false,
  cache: false,
  compression: false,
  maxDbs: 1,
};

/** An option that lmdb reads but does not declare. */
const permissions: object = { permissionsMode: 0o600 };

/**
 * Appends an entry; its key must be the greatest, which lmdb does not check. Pages are filled completely, whereas a put
 * would move part of each full page to the next.
 */
export function appendTo(database: LmdbDatabase, key: Buffer, value: Buffer): Promise<boolean> {
  const put: (key: Buffer, value: Buffer, options: { readonly append: true }) => Promise<boolean> = database.put;
  return put.call(database, key, value, APPEND);
}

/** An option of put that lmdb reads but does not declare. */
const APPEND = { append: true } as const;
