import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@apiserver/apimachinery/errors';
import { isKeyValueError, KeyValueError } from '../key-value-error.js';
import { checkDataFile } from '../lmdb/check-data-file.js';
import { currentDataFile, readCurrent } from '../lmdb/data-files.js';
import { lockDirectory } from '../lmdb/directory-lock.js';
import { decodeCheckedFrom, decodeIndex, decodeLog, decodeMeta, indexKey, revisionOfLogKey } from '../lmdb/records.js';
import { BackupError, type BackupRecord } from './backup-format.js';
import { removeStaleParts } from './backup-parts.js';
import { BackupWriter } from './backup-writer.js';
import { copyOfServer } from './server-copy.js';
import { StoredEntries } from './stored-entries.js';

/** The source and target of a backup. */
export interface BackupOptions {
  /** The folder of an LMDB store, which may be in use. */
  readonly directory: string;
  /** The file to write. */
  readonly file: string;
  /** Version of the program that writes the backup. */
  readonly version: string;
  readonly now: () => Date;
  /**
   * True: keys with damaged records are skipped, and counted. So is a damaged journal, with its writes. Default: a
   * damaged store cannot be backed up.
   */
  readonly skipDamaged?: boolean;
}

/** The number of keys in a backup, and its revision. */
export interface BackupSummary {
  readonly keys: number;
  readonly revision: number;
}

/** `damaged` is the number of unreadable keys that were skipped. */
export interface BackupResult extends BackupSummary {
  readonly damaged: number;
  /** Present if the journal was damaged: the backup lacks the last writes before the server was killed. */
  readonly lacksJournal?: true;
}

/**
 * Backs up the current state of a store, whether or not its server is running. It includes everything that was
 * acknowledged before the call. The store is only read. A running server copies it into the store's folder first, which
 * needs as much space as the data file; LMDB loses commits if two processes open one file. Leftovers of killed backups
 * to the same file are removed. Throws BackupError, KeyValueError and errors of the file system.
 */
export async function backUpStore(options: BackupOptions): Promise<BackupResult> {
  const { directory, file } = options;
  // Before the lock, which creates a file.
  if (!existsSync(directory)) throw new BackupError(`${directory} does not exist: there is no store to back up`);
  if (readCurrent(directory) === undefined) currentFile(directory);
  await using source = await unchangingFile(directory);
  checkDataFile(source.path);
  const { skipDamaged = false } = options;
  const journal = { directory: source.isCopy ? undefined : directory, skipDamaged };
  await using entries = await StoredEntries.open(source.path, journal);
  const { meta } = entries;
  if (meta === undefined) throw new BackupError(`${directory} has a store in which nothing has been written yet`);
  const { revision } = decodeMeta(meta);
  const checkedFrom = decodeCheckedFrom(meta);
  await removeStaleParts(file, options.now());
  const head = { revision, created: options.now().toISOString(), version: options.version };
  await using writer = await BackupWriter.create(file, head);
  let keys = 0;
  for await (const record of liveRecords(entries, checkedFrom)) {
    await writer.add(record);
    keys++;
  }
  const damaged = countLive(entries, checkedFrom) - keys;
  if (damaged !== 0 && !skipDamaged) throw damagedStore(directory, damaged);
  await writer.finish();
  return { keys, revision, damaged, ...(entries.lacksJournal && { lacksJournal: true }) };
}

/** A data file that nobody writes to. */
interface UnchangingFile extends AsyncDisposable {
  readonly path: string;
  /** True for a copy that a server has made, which needs no journal. */
  readonly isCopy: boolean;
}

/** The store's own file, locked; a copy of it while a server has the store open. */
async function unchangingFile(directory: string): Promise<UnchangingFile> {
  let lock = await lockIfFree(directory);
  if (lock === undefined) {
    const free = async (): Promise<boolean> => {
      lock = await lockIfFree(directory);
      return lock !== undefined;
    };
    const copy = await copyOfServer({ directory, free });
    if (copy !== undefined) {
      return { path: copy.path, isCopy: true, [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() };
    }
  }
  const dispose = async (): Promise<void> => lock?.[Symbol.dispose]();
  try {
    return { path: join(directory, currentFile(directory)), isCopy: false, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function damagedStore(directory: string, keys: number): KeyValueError {
  const what = keys === 1 ? 'a key cannot be read' : `${keys} keys cannot be read`;
  return new KeyValueError(
    'Corrupt',
    `the store in ${directory} is damaged: ${what}; "kube-apiserver check" names what is`,
  );
}

/** Undefined if a running server owns the folder, and maintains it. */
async function lockIfFree(directory: string): Promise<Disposable | undefined> {
  try {
    const lock = await lockDirectory(directory);
    return { [Symbol.dispose]: () => lock.release() };
  } catch (error) {
    if (isKeyValueError(error) && error.keyValueErrorCode === 'InUse') return undefined;
    if (isReadOnly(error)) return { [Symbol.dispose]: () => {} };
    throw error;
  }
}

/** Nobody can write to a read-only file system, including servers. */
function isReadOnly(error: unknown): boolean {
  return codeOf(error) === 'EROFS';
}

function currentFile(directory: string): string {
  const name = currentDataFile(directory);
  if (name === undefined) throw new BackupError(`there is no store in ${directory}`);
  return name;
}

/** The newest version of each key that exists, in the order of revisions. */
async function* liveRecords(entries: StoredEntries, checkedFrom: number): AsyncGenerator<BackupRecord> {
  for await (const { key: id, value: bytes } of entries.log()) {
    const revision = revisionOfLogKey(id);
    const { key, value } = decodeLog(bytes, { revision, checkedFrom });
    if (value === undefined) continue;
    const index = entries.get(indexKey(key));
    const newest = index === undefined ? undefined : decodeIndex(index, checkedFrom);
    if (newest?.revision !== revision || newest.damaged === true) continue;
    yield { key, value, revision, expiresAt: newest.expiresAt };
  }
}

function countLive(entries: StoredEntries, checkedFrom: number): number {
  let count = 0;
  for (const value of entries.index()) {
    if (!decodeIndex(value, checkedFrom).deleted) count++;
  }
  return count;
}
