import { readdirSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf, isMissingFile } from '@apiserver/apimachinery/errors';
import { makePrivateDirectory } from '@apiserver/component-base/process';
import { announceDataFile, nextDataFile, prepareDataFile, removeLeftovers, syncDirectory } from '../lmdb/data-files.js';
import { lockDirectory } from '../lmdb/directory-lock.js';
import { appendTo, type LmdbDatabase, openEnvironment } from '../lmdb/environment.js';
import { commitFailure } from '../lmdb/lmdb-errors.js';
import {
  CHECKED_FROM_BEGINNING,
  encodeIndex,
  encodeLog,
  encodeMeta,
  expiryKey,
  indexKey,
  logKey,
  META_KEY,
} from '../lmdb/records.js';
import type { BackupSummary } from './back-up-store.js';
import { BackupError, type BackupRecord } from './backup-format.js';
import { BackupReader } from './backup-reader.js';

/** The source and target of a restore. */
export interface RestoreOptions {
  readonly file: string;
  /** The folder of the store; it must be absent or empty. */
  readonly directory: string;
  /** Minimum increase of the revision. */
  readonly bump: number;
  readonly now: () => Date;
}

/** Stores never assign this many revisions per millisecond: raising by it exceeds every revision since the backup. */
const REVISIONS_PER_MS = 10;
const BATCH = 500;

/**
 * Creates a store from a backup. Objects keep their revisions. The store's own revision is raised above any revision
 * that the original store may have reached, and everything below counts as compacted. A watch from a later revision
 * thus fails as too old, and its client lists again. Otherwise it would wait for revisions with another meaning.
 *
 * The folder appears once all of it is on disk; an aborted restore leaves nothing that a server would accept as a
 * store. Throws BackupError, StartupError and errors of the file system.
 * Upstream: etcdutl snapshot restore --bump-revision --mark-compacted
 */
export async function restoreStore(options: RestoreOptions): Promise<BackupSummary> {
  const directory = resolve(options.directory);
  await using backup = await BackupReader.open(options.file);
  const keys = await backup.verify();
  refuseUnlessEmpty(directory);
  const elapsed = Math.max(0, options.now().getTime() - Date.parse(backup.head.created));
  const revision = backup.head.revision + options.bump + elapsed * REVISIONS_PER_MS;
  if (!Number.isSafeInteger(revision)) throw new BackupError(`the revision would be ${revision}, which is too large`);
  const building = `${directory}.restoring`;
  makePrivateDirectory(building);
  const lock = await lockDirectory(building);
  try {
    await removeLeftovers(building, undefined);
    await build(backup, building, revision);
    await rename(building, directory);
  } catch (error) {
    rmSync(building, { recursive: true, force: true });
    if (codeOf(error) === undefined) throw error;
    throw new BackupError(`cannot write ${directory}`, { cause: error });
  } finally {
    lock.release();
  }
  await syncDirectory(dirname(directory));
  return { keys, revision };
}

function refuseUnlessEmpty(directory: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if (isMissingFile(error)) return;
    throw error;
  }
  if (names.length > 0) {
    throw new BackupError(`${directory} is not empty: a backup is restored to a folder without a store only`);
  }
}

async function build(backup: BackupReader, directory: string, revision: number): Promise<void> {
  const name = nextDataFile(undefined);
  const path = join(directory, name);
  const database = await openEnvironment(path);
  try {
    for await (const records of batches(backup.records())) await write(database, records);
    const meta = {
      revision,
      compactedRevision: revision,
      prunedRevision: revision,
      tickTime: 0,
      tickRevision: revision,
    };
    await commit(database, () => [database.put(META_KEY, encodeMeta(meta, CHECKED_FROM_BEGINNING))]);
  } catch (error) {
    throw error instanceof BackupError ? error : await commitFailure(error, { unchanged: true, path });
  } finally {
    await database.close();
  }
  await prepareDataFile(directory, name, true);
  await announceDataFile(directory);
  await syncDirectory(directory);
}

async function* batches(records: AsyncIterable<BackupRecord>): AsyncGenerator<readonly BackupRecord[]> {
  let batch: BackupRecord[] = [];
  for await (const record of records) {
    batch.push(record);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function write(database: LmdbDatabase, records: readonly BackupRecord[]): Promise<void> {
  await commit(database, () =>
    records.flatMap(({ key, value, revision, expiresAt }) => [
      database.put(indexKey(key), encodeIndex({ revision, deleted: false, expiresAt })),
      ...(expiresAt === 0 ? [] : [database.put(expiryKey({ key, expiresAt }), Buffer.alloc(0))]),
      appendTo(database, logKey(revision), encodeLog({ key, value, previousRevision: 0 }, revision)),
    ]),
  );
}

/** One commit, which is on disk when this resolves. Rejects with the reason of a failure. */
async function commit(database: LmdbDatabase, puts: () => readonly Promise<boolean>[]): Promise<void> {
  let written: readonly Promise<boolean>[] = [];
  await database.batch(() => {
    written = puts();
    for (const put of written) put.catch(() => {});
  });
  if (!(await Promise.all(written)).every(Boolean)) throw new BackupError('a record could not be written');
}
