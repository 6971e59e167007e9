import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissingFile } from '@apiserver/apimachinery/errors';
import { KeyValueError } from '../key-value-error.js';
import { type CopyFiles, copyFiles, TOUCH_INTERVAL_MS } from '../lmdb/copy-files.js';
import { removeCopy } from '../lmdb/copy-requests.js';

/** Milliseconds between two looks for the copy. */
const LOOK_INTERVAL_MS = 20;
/** Milliseconds between two attempts to find that no process has the store open. */
const TRY_INTERVAL_MS = 1000;
const PATIENCE_MS = 60_000;

/** A copy of a store that its server has made. It is removed when it is disposed. */
export interface ServerCopy extends AsyncDisposable {
  readonly path: string;
}

/** A store that another process has open. */
interface OpenStore {
  readonly directory: string;
  /** Reports whether no process has the store open any more. */
  free(): Promise<boolean>;
  /** Milliseconds until the server must have begun the copy. Default: a minute. */
  readonly patience?: number;
  /** Milliseconds between two touches of the request. Default: TOUCH_INTERVAL_MS. */
  readonly touchInterval?: number;
}

/**
 * Asks the server that has a store open for a copy: see copy-files.ts. Undefined when the store is no longer open.
 * Throws KeyValueError when the server cannot make one, or does not respond.
 */
export async function copyOfServer(store: OpenStore): Promise<ServerCopy | undefined> {
  const { directory, touchInterval = TOUCH_INTERVAL_MS } = store;
  const files = copyFiles(directory, randomUUID());
  await touch(files.request);
  let touched = Promise.resolve();
  const touching = setInterval(() => {
    touched = touched.then(() => touch(files.request)).catch(() => {});
  }, touchInterval);
  const dispose = async (): Promise<void> => {
    clearInterval(touching);
    // One that is under way would create the removed request again.
    await touched;
    await removeCopy(files);
  };
  try {
    if (await isCopied(files, store)) return { path: files.copy, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
  await dispose();
  return undefined;
}

/** Waits for the copy. False if no process has the store open any more. */
async function isCopied(files: CopyFiles, store: OpenStore): Promise<boolean> {
  const { directory, patience = PATIENCE_MS } = store;
  const latest = performance.now() + patience;
  for (let nextTry = performance.now() + TRY_INTERVAL_MS; !existsSync(files.copy); ) {
    if (existsSync(files.error)) {
      throw new KeyValueError('Unavailable', `the server cannot copy its store: ${readFileSync(files.error, 'utf8')}`);
    }
    const now = performance.now();
    if (now > latest && !existsSync(files.part)) {
      throw new KeyValueError('InUse', `${directory} is in use by another process, which does not copy it on request`);
    }
    if (now > nextTry) {
      if (await store.free()) return false;
      nextTry = now + TRY_INTERVAL_MS;
    }
    await sleep(LOOK_INTERVAL_MS);
  }
  return true;
}

/** Creates the request, or shows that the asking process still lives. A server removes one that looks abandoned. */
async function touch(request: string): Promise<void> {
  try {
    await utimes(request, new Date(), new Date());
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    await writeFile(request, '', { mode: 0o600 });
  }
}
