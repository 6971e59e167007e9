import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '@apiserver/apimachinery/clock';
import { isKeyValueError, type KeyValueError } from '../key-value-error.js';
import type { KeyValueStore } from '../key-value-store.js';
import type { CompactionOptions } from '../mvcc/compactor.js';
import { createEmbeddedStore } from '../mvcc/embedded-store.js';
import type { MvccTables } from '../mvcc/tables.js';
import { checkDataFile } from './check-data-file.js';
import { DataFile } from './data-file.js';
import {
  announceDataFile,
  currentDataFile,
  nextDataFile,
  prepareDataFile,
  readCurrent,
  removeLeftovers,
} from './data-files.js';
import { lockDirectory } from './directory-lock.js';
import { openEnvironment } from './environment.js';
import { MAX_RATIO, SMALL_FILE } from './file-rewriter.js';
import { openFailure } from './lmdb-errors.js';
import { LmdbTables } from './lmdb-tables.js';

export interface LmdbStoreOptions extends CompactionOptions {
  /** A folder of the store's own; made with mode 0700 when it is missing. Files in it get mode 0600. */
  readonly directory: string;
  /** False acknowledges commits that are not on the disk yet: a crash of the machine may lose them. Default: true. */
  readonly fsync?: boolean;
  /** Data files up to this size, in bytes, are not rewritten, however much of them is free. Default: 16 MiB. */
  readonly smallFile?: number;
  /** Others are rewritten when they are so many times as large as they would be then. Default: 1.75. */
  readonly maxRatio?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Called once, when the store can no longer be trusted: everything fails with this until it is opened again. */
  readonly failed?: (error: KeyValueError) => void;
  /** For tests of faults: wraps the tables before the store uses them. */
  readonly wrapTables?: (tables: MvccTables) => MvccTables;
}

/**
 * Opens the durable store of this process. Throws KeyValueError: InUse when another process has the folder, Corrupt
 * when what is in it cannot be read, Unavailable when the folder cannot be used.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<KeyValueStore> {
  const { directory } = options;
  let lock: { release(): void } | undefined;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    lock = await lockDirectory(directory);
    const tables = await openTables(options, lock);
    const wrapped = options.wrapTables?.(tables) ?? tables;
    return createEmbeddedStore(wrapped, { ...options, clock: options.clock ?? systemClock });
  } catch (error) {
    lock?.release();
    throw isKeyValueError(error) ? error : openFailure(error, directory);
  }
}

async function openTables(options: LmdbStoreOptions, lock: { release(): void }): Promise<LmdbTables> {
  const { directory, fsync = true, smallFile = SMALL_FILE, maxRatio = MAX_RATIO } = options;
  const current = currentDataFile(directory);
  const name = current ?? nextDataFile(undefined);
  const path = join(directory, name);
  checkDataFile(path);
  await removeLeftovers(directory, name);
  const database = await openEnvironment(path, { fsync });
  if (readCurrent(directory) === undefined) {
    await prepareDataFile(directory, name, false);
    await announceDataFile(directory);
  }
  return new LmdbTables(new DataFile(database, path), {
    fsync,
    small: smallFile,
    maxRatio,
    closed: () => lock.release(),
  });
}
