import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock.js';
import { isKeyValueError } from '../key-value-error.js';
import type { KeyValueStore } from '../key-value-store.js';
import type { CompactionOptions } from '../mvcc/compactor.js';
import { createEmbeddedStore } from '../mvcc/embedded-store.js';
import type { MvccTables } from '../mvcc/tables.js';
import { checkDataFile } from './check-data-file.js';
import { lockDirectory } from './directory-lock.js';
import { openFailure } from './lmdb-errors.js';
import { LmdbTables } from './lmdb-tables.js';

export interface LmdbStoreOptions extends CompactionOptions {
  /** A folder of the store's own; made with mode 0700 when it is missing. Files in it get mode 0600. */
  readonly directory: string;
  /** False acknowledges commits that are not on the disk yet: a crash of the machine may lose them. Default: true. */
  readonly fsync?: boolean;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** For tests of faults: wraps the tables before the store uses them. */
  readonly wrapTables?: (tables: MvccTables) => MvccTables;
}

/**
 * Opens the durable store of this process. Throws KeyValueError: InUse when another process has the folder, Corrupt
 * when what is in it cannot be read, Unavailable when the folder cannot be used.
 *
 * A commit is acknowledged when LMDB has synced it: `overlappingSync: false` makes the commit itself wait for the disk.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<KeyValueStore> {
  const { directory } = options;
  let lock: { release(): void } | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    lock = await lockDirectory(directory);
    checkDataFile(join(directory, 'data.mdb'));
    const tables = await openTables(options, lock);
    const wrapped = options.wrapTables?.(tables) ?? tables;
    return createEmbeddedStore(wrapped, { ...options, clock: options.clock ?? systemClock });
  } catch (error) {
    lock?.release();
    throw isKeyValueError(error) ? error : openFailure(error, directory);
  }
}

/** lmdb is loaded here and not at the top: a process on another backend never pays for it. */
async function openTables(
  { directory, fsync = true }: LmdbStoreOptions,
  lock: { release(): void },
): Promise<LmdbTables> {
  const { open } = await import('lmdb');
  const database = open<Buffer, Buffer>({
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    noSync: !fsync,
    // Every commit is one explicit batch; lmdb's own batching makes a promise that nobody can catch when a commit fails.
    eventTurnBatching: false,
    cache: false,
    compression: false,
    maxDbs: 1,
    ...permissions,
  });
  return new LmdbTables(database, () => lock.release());
}

/** An option that lmdb reads and does not declare. */
const permissions: object = { permissionsMode: 0o600 };
