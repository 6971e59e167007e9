import { closeSync, mkdirSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const SQLITE_BUSY = 5;
/** Milliseconds between two attempts to take the lock. */
const RETRY_MS = 200;

/**
 * Runs a build when no other process builds in this clone: two at once replace each other's files half-way. SQLite takes
 * the operating system's lock, which ends with its process, so an interrupted build leaves no lock behind.
 *
 * @template T
 * @param {string} folder of the lock file; it is created
 * @param {(hasWaited: boolean) => Promise<T>} build its argument tells whether another process has just built
 * @param {() => void} [onWait] called once, if another process has the lock
 * @returns {Promise<T>}
 */
export async function buildAlone(folder, build, onWait = sayWaiting) {
  mkdirSync(folder, { recursive: true });
  const path = `${folder}/apiserver-build-lock.sqlite`;
  closeSync(openSync(path, 'a'));
  let database = takeLock(path);
  const hasWaited = database === undefined;
  if (hasWaited) onWait();
  while (database === undefined) {
    await sleep(RETRY_MS);
    database = takeLock(path);
  }
  try {
    return await build(hasWaited);
  } finally {
    database.close();
  }
}

function sayWaiting() {
  console.error('another process builds in this folder, waiting for its end ...');
}

/**
 * @param {string} path
 * @returns {DatabaseSync | undefined} undefined if another process has the lock
 */
function takeLock(path) {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
