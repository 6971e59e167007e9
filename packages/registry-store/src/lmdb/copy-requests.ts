import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type CopyFiles, copyFiles, copyId, STALE_AFTER_MS } from './copy-files.js';

interface CopyRequestsOptions {
  /** The folder of the store. */
  readonly directory: string;
  /** Milliseconds between two looks for requests. */
  readonly interval: number;
  /** Writes a copy of the store to a new file. */
  copy(path: string): Promise<void>;
}

/** Copies a store for the processes that ask for it: see copy-files.ts. It looks for requests until it is stopped. */
export class CopyRequests {
  readonly #options: CopyRequestsOptions;
  readonly #timer: NodeJS.Timeout;
  /** True while requests are being served, one at a time. */
  #busy = false;
  #stopped = false;

  constructor(options: CopyRequestsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.interval).unref();
  }

  /** Requests that are not served any more get no error: their processes read the store once it is closed. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  #look(): void {
    if (this.#busy) return;
    const ids = this.#requested();
    if (ids.size === 0) return;
    this.#busy = true;
    void this.#serveAll(ids).finally(() => {
      this.#busy = false;
    });
  }

  /** The folder may have been removed, which commits report. */
  #requested(): ReadonlySet<string> {
    try {
      return new Set(readdirSync(this.#options.directory).flatMap((name) => copyId(name) ?? []));
    } catch {
      return new Set();
    }
  }

  async #serveAll(ids: ReadonlySet<string>): Promise<void> {
    for (const id of ids) {
      const files = copyFiles(this.#options.directory, id);
      if (isAbandoned(files.request)) await removeCopy(files);
      else if (!existsSync(files.copy) && !existsSync(files.error)) await this.#serve(files);
    }
  }

  /** LMDB makes a file that other users may read, so that it writes into a folder that they cannot enter. */
  async #serve({ part, copy, error }: CopyFiles): Promise<void> {
    const written = join(part, 'data.mdb');
    try {
      // Of an earlier request that could not be served.
      await removeAll(part);
      await mkdir(part, { mode: 0o700 });
      await this.#options.copy(written);
      await chmod(written, 0o600);
      await rename(written, copy);
      await removeAll(part);
    } catch (cause) {
      await removeAll(part).catch(() => {});
      if (!this.#stopped) await report(messageOf(cause), part, error).catch(() => {});
    }
  }
}

/** Writes the error in one step: the asking process reads it as soon as it exists. */
async function report(message: string, part: string, error: string): Promise<void> {
  await writeFile(part, message, { mode: 0o600 });
  await rename(part, error);
}

/** True if the asking process has removed its request, or was killed. */
function isAbandoned(request: string): boolean {
  const touched = statSync(request, { throwIfNoEntry: false })?.mtimeMs;
  return touched === undefined || Date.now() - touched > STALE_AFTER_MS;
}

/** Removes all files of a copy. Idempotent. */
export async function removeCopy(files: CopyFiles): Promise<void> {
  const { request, part, copy, lock, error } = files;
  await Promise.all([request, part, copy, lock, error].map((path) => removeAll(path).catch(() => {})));
}

function removeAll(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true });
}
