import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@apiserver/apimachinery/errors';
import { KeyValueError } from '../key-value-error.js';

const SQLITE_BUSY = 5;

/**
 * Locks a folder for this process, until release or the end of the process. Throws InUse.
 *
 * Node has no file locks, and LMDB allows several processes. SQLite, which is part of Node, takes the operating
 * system's lock on a file. A crash releases it, and it needs no process ids, which are ambiguous in containers.
 */
export async function lockDirectory(directory: string): Promise<{ release(): void }> {
  const path = join(directory, 'lock.sqlite');
  makeFile(path);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    // A journal on the disk would need room: a full disk would then refuse the start in which objects can be deleted.
    database.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (errorCode(error) !== SQLITE_BUSY) throw error;
    throw new KeyValueError('InUse', `${directory} is in use by another process`);
  }
  return { release: () => database.close() };
}

/**
 * Makes the file, readable by its owner alone. One that is there is not opened: closing it would release the lock that
 * this process may have on it.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    accessSync(path, constants.R_OK | constants.W_OK);
  }
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'errcode' in error ? error.errcode : undefined;
}
