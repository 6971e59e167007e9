import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
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
import { type LmdbDatabase, openEnvironment } from './environment.js';
import { MAX_RATIO, MAX_RATIO_IN_USE, SMALL_FILE } from './file-rewriter.js';
import { blockAfter } from './journal-batches.js';
import { JournalFile } from './journal-file.js';
import { JournaledTables, type JournalOptions } from './journaled-tables.js';
import { openFailure } from './lmdb-errors.js';
import { LmdbTables } from './lmdb-tables.js';
import { replayJournal } from './replay-journal.js';

/** Folder, durability and file sizes of the store, and its dependencies. */
export interface LmdbStoreOptions extends CompactionOptions {
  /** The store's own folder; created with mode 0700 if it is missing. Files in it get mode 0600. */
  readonly directory: string;
  /** False acknowledges commits before they are on disk: a crash of the machine may lose them. Default: true. */
  readonly fsync?: boolean;
  /** Data files up to this size, in bytes, are never rewritten. Default: 16 MiB. */
  readonly smallFile?: number;
  /** Maximum size of others relative to a freshly written one. Default: 1.75, and 3 while much is written. */
  readonly maxRatio?: number;
  /** Milliseconds between two looks for requests of other processes to copy the store. Default: 1000. */
  readonly copyInterval?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /**
   * Commits after a start until the store creates a journal for the next ones. It has a journal only on Linux, with
   * `fsync` and some free space on the disk. Default: 256.
   */
  readonly journalAfter?: number;
  /** Bytes of each of the journal's two halves, rounded up to blocks of 4 KiB. Default: 2 MiB. */
  readonly journalHalf?: number;
  /** Called once, if the store can no longer be trusted: everything fails with this error until it is reopened. */
  readonly failed?: (error: KeyValueError) => void;
  /** For fault tests: wraps the tables before the store uses them. */
  readonly wrapTables?: (tables: MvccTables) => MvccTables;
}

/**
 * Opens the durable store of this process. Throws KeyValueError: InUse if another process has the folder open, Corrupt
 * if its content is unreadable, Unavailable if the folder is unusable.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<KeyValueStore> {
  const { directory } = options;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const tables = await openTables(options, await lockDirectory(directory));
    return await undoIfItFails(
      () => {
        const wrapped = options.wrapTables?.(tables) ?? tables;
        return createEmbeddedStore(wrapped, { ...options, clock: options.clock ?? systemClock });
      },
      () => tables.close(),
    );
  } catch (error) {
    throw isKeyValueError(error) ? error : openFailure(error, directory);
  }
}

/** The tables of a locked folder. Closing them releases it, and so does a failure. */
async function openTables(options: LmdbStoreOptions, lock: { release(): void }): Promise<MvccTables> {
  return await undoIfItFails(
    async () => {
      const { path, database } = await openDatabase(options);
      return await undoIfItFails(
        () => tablesOf(new DataFile(database, path), options, lock),
        () => database.close(),
      );
    },
    () => lock.release(),
  );
}

async function undoIfItFails<T>(step: () => T | Promise<T>, undo: () => void | Promise<void>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    await undo();
    throw error;
  }
}

async function openDatabase({
  directory,
  fsync = true,
}: LmdbStoreOptions): Promise<{ readonly path: string; readonly database: LmdbDatabase }> {
  const current = currentDataFile(directory);
  const name = current ?? nextDataFile(undefined);
  const path = join(directory, name);
  checkDataFile(path);
  await removeLeftovers(directory, name);
  return { path, database: await openEnvironment(path, { fsync }) };
}

async function tablesOf(file: DataFile, options: LmdbStoreOptions, lock: { release(): void }): Promise<MvccTables> {
  const { directory, fsync = true, smallFile = SMALL_FILE, maxRatio, copyInterval = 1000 } = options;
  await replayJournal(directory, file.database, file.path);
  if (readCurrent(directory) === undefined) {
    await prepareDataFile(directory, basename(file.path), false);
    await announceDataFile(directory);
  }
  let journaled: JournaledTables | undefined;
  const tables = new LmdbTables(file, {
    fsync,
    small: smallFile,
    maxRatio: maxRatio ?? MAX_RATIO,
    maxRatioInUse: maxRatio ?? MAX_RATIO_IN_USE,
    copyInterval,
    settle: async () => await journaled?.settle(),
    closed: () => lock.release(),
  });
  if (!fsync) return tables;
  const journal = journalOptions(options);
  journaled = new JournaledTables(tables, journal);
  if (journal.after === 0) await journaled.prepare();
  return journaled;
}

function journalOptions({
  directory,
  journalAfter = 256,
  journalHalf = 2 * 1024 * 1024,
}: LmdbStoreOptions): JournalOptions {
  const half = blockAfter(journalHalf);
  return { after: journalAfter, create: () => JournalFile.create(directory, half) };
}
