import type { RootDatabase, RootDatabaseOptions } from 'lmdb';

/** An LMDB environment with the one B-tree that we keep in it. */
export type LmdbDatabase = RootDatabase<Buffer, Buffer>;

export interface EnvironmentOptions {
  /** False: commits do not wait for the disk. */
  readonly fsync?: boolean;
  /** True: nothing is written but the lock file, and that only where it can be. */
  readonly readOnly?: boolean;
}

/**
 * Opens a data file, which `checkDataFile` has found to be whole, or which is not there yet. A commit is acknowledged when
 * LMDB has synced it: `overlappingSync: false` makes the commit itself wait for the disk.
 *
 * lmdb is loaded here and not at the top: a process on another backend never pays for it.
 */
export async function openEnvironment(path: string, options: EnvironmentOptions = {}): Promise<LmdbDatabase> {
  const { open } = await import('lmdb');
  const { fsync = true, readOnly = false } = options;
  return open<Buffer, Buffer>(path, { ...settings, ...permissions, noSync: !fsync, readOnly });
}

const settings: RootDatabaseOptions = {
  noSubdir: true,
  encoding: 'binary',
  keyEncoding: 'binary',
  overlappingSync: false,
  // Every commit is one explicit batch; lmdb's own batching makes a promise that nobody can catch when a commit fails.
  eventTurnBatching: false,
  cache: false,
  compression: false,
  maxDbs: 1,
};

/** An option that lmdb reads and does not declare. */
const permissions: object = { permissionsMode: 0o600 };

/**
 * Puts an entry behind all others; its key has to be the greatest, and lmdb tells nobody when it is not. Pages are filled
 * completely, where a put would move a part of each full page to the next.
 */
export function appendTo(database: LmdbDatabase, key: Buffer, value: Buffer): Promise<boolean> {
  const put: (key: Buffer, value: Buffer, options: { readonly append: true }) => Promise<boolean> = database.put;
  return put.call(database, key, value, APPEND);
}

/** An option of put that lmdb reads and does not declare. */
const APPEND = { append: true } as const;
