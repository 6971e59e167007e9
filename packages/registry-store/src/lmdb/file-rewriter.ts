import { statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as rest, setImmediate } from 'node:timers/promises';
import { DataCopy } from './data-copy.js';
import { DataFile } from './data-file.js';
import { announceDataFile, nextDataFile, prepareDataFile, syncDirectory, withdrawDataFile } from './data-files.js';
import { type DataUsage, entryCount } from './data-usage.js';
import { EntryCursor } from './entry-cursor.js';
import { type LmdbDatabase, openEnvironment } from './environment.js';

const MIB = 1024 * 1024;
/** Maximum size of a file relative to a freshly written one. */
export const MAX_RATIO = 1.75;
/** The same while much is written: free pages are soon used again, and a copy has to catch up with the writers. */
export const MAX_RATIO_IN_USE = 3;
/** Milliseconds until the next look at a file that is too large and in use. */
const LOOK_AGAIN_MS = 5000;
/** Commits in that time that mean that much is written. With a journal, few writes make one commit in it. */
const MANY_COMMITS = 8;
/** Minimum size of a file that is worth a rewrite. */
export const SMALL_FILE = 16 * MIB;
/** Disk space that a rewrite leaves to the store itself. */
const RESERVE = 64 * MIB;
/** Milliseconds without another attempt after a failure, whose cause usually lasts. */
const PAUSE_MS = 60_000;
/** Rest after a step of a count, as a multiple of the duration of the step. */
const REST = 9;
/** Maximum rest in milliseconds. */
const MAX_REST_MS = 10;

interface FileRewriterOptions {
  readonly fsync: boolean;
  /** Files up to this size, in bytes, are not rewritten. */
  readonly small: number;
  /** Maximum size of a file relative to a freshly written one. */
  readonly maxRatio: number;
  /** The same while much is written. */
  readonly maxRatioInUse: number;
  /** The current file of the store. */
  file(): DataFile;
  /** Runs `work` while no commit is pending. */
  exclusively<T>(work: () => T | Promise<T>): Promise<T>;
  /** Switches the store to another file. */
  use(file: DataFile): void;
  /** Called when it is unknown which file the next start will open: no commit may be acknowledged any more. */
  broken(error: unknown): void;
}

/** A rewrite, or the count that decides on it. */
interface Work {
  readonly cancel: AbortController;
  /** Aborted once a copy waits for it. */
  readonly hurry: AbortController;
  readonly done: Promise<void>;
}

/**
 * Limits the size of the data file. LMDB reuses free pages, but never shrinks a file, and pages often keep a few
 * records after most were overwritten or compacted. Once free and half-empty pages exceed the limit, everything is
 * copied into a new file, which then replaces the old one. While much is written, the limit is higher.
 */
export class FileRewriter {
  readonly #options: FileRewriterOptions;
  #usage: DataUsage | undefined;
  #copy: DataCopy | undefined;
  #work: Work | undefined;
  /** True if much was removed during the last count. */
  #again = false;
  #notBefore = 0;
  #commits = 0;
  #nextLook: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: FileRewriterOptions) {
    this.#options = options;
  }

  /** The copy in progress, which must be notified of every written key. */
  get copy(): DataCopy | undefined {
    return this.#copy;
  }

  /** Called for each commit. */
  committed(): void {
    this.#commits++;
  }

  /** Starts a count, and a rewrite, if the file seems too large. Cheap otherwise. */
  consider(): void {
    this.#consider(this.#options.maxRatioInUse);
  }

  /** `ratio` is the limit of this moment. */
  #consider(ratio: number): void {
    if (this.#stopped || performance.now() < this.#notBefore) return;
    if (this.#work !== undefined) {
      this.#again = true;
      return;
    }
    const file = this.#options.file();
    const size = file.size();
    if (size <= this.#options.small || !this.#isTooLarge(size, { bytes: this.#estimate(file.database), ratio })) return;
    const [cancel, hurry] = [new AbortController(), new AbortController()];
    this.#again = false;
    // After any failure, including lack of space, the store continues unchanged; a call after the pause retries.
    const done = this.#rewriteIfWorth(file, ratio, { cancel, hurry })
      .catch(() => {
        this.#notBefore = performance.now() + PAUSE_MS;
      })
      .finally(() => this.#ended());
    this.#work = { cancel, hurry, done };
  }

  /** `bytes`: the size of a freshly written file. A file that is too large only for one at rest is looked at again. */
  #isTooLarge(size: number, { bytes, ratio }: { readonly bytes: number; readonly ratio: number }): boolean {
    if (size > ratio * bytes) return true;
    if (size > this.#options.maxRatio * bytes) this.#lookAgain();
    return false;
  }

  #lookAgain(): void {
    if (this.#nextLook !== undefined || this.#stopped) return;
    const before = this.#commits;
    this.#nextLook = setTimeout(() => {
      this.#nextLook = undefined;
      const isInUse = this.#commits - before >= MANY_COMMITS;
      const { maxRatio, maxRatioInUse } = this.#options;
      this.#consider(isInUse ? maxRatioInUse : maxRatio);
    }, LOOK_AGAIN_MS).unref();
  }

  /**
   * Writes the content of the store as of now to a new file, in a thread. It waits for a rewrite in progress, and
   * delays the next one. A count in progress no longer rests. Throws RangeError without enough space, and errors of
   * LMDB.
   */
  async copyTo(path: string): Promise<void> {
    while (this.#work !== undefined) {
      this.#work.hurry.abort();
      await this.#work.done;
    }
    if (this.#stopped) throw new RangeError('the store is closed');
    const file = this.#options.file();
    checkSpace(file.path, file.size());
    const copied = file.database.backup(path, false);
    const done = copied.catch(() => {}).finally(() => this.#ended());
    this.#work = { cancel: new AbortController(), hurry: new AbortController(), done };
    await copied;
  }

  #ended(): void {
    this.#work = undefined;
    if (this.#again) this.consider();
  }

  /** Cancels a rewrite in progress. */
  cancel(): void {
    this.#work?.cancel.abort();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#nextLook);
    this.cancel();
    await this.#work?.done;
  }

  /** The last count, scaled to the current number of entries. */
  #estimate(database: LmdbDatabase): number {
    const usage = this.#usage;
    return usage === undefined || usage.entries === 0 ? 0 : (usage.bytes / usage.entries) * entryCount(database);
  }

  async #rewriteIfWorth(file: DataFile, ratio: number, { cancel, hurry }: Omit<Work, 'done'>): Promise<void> {
    checkSpace(file.path, this.#estimate(file.database));
    const usage = await count(file.database, cancel.signal, hurry.signal);
    this.#usage = usage;
    if (!this.#isTooLarge(file.size(), { bytes: usage.bytes, ratio })) return;
    checkSpace(file.path, usage.bytes);
    this.#usage = await this.#rewrite(file, cancel.signal);
  }

  async #rewrite(file: DataFile, signal: AbortSignal): Promise<DataUsage> {
    const { fsync } = this.#options;
    const path = join(dirname(file.path), nextDataFile(basename(file.path)));
    await removeDataFile(path);
    const target = new DataFile(await openEnvironment(path, { fsync }), path);
    const { exclusively, use } = this.#options;
    let old = target;
    try {
      const copy = await exclusively(() => this.#beginCopy(file, target, signal));
      const usage = await copy.copy();
      await prepareDataFile(dirname(path), basename(path), fsync);
      await exclusively(async () => {
        await copy.finish();
        await announceDataFile(dirname(path));
        old = file;
        use(target);
        if (fsync) await this.#syncFolder(dirname(path));
      });
      return usage;
    } finally {
      this.#copy = undefined;
      await old.database.close();
      await removeDataFile(old.path);
      if (old === target) await withdrawDataFile(dirname(path));
    }
  }

  /** Requires that no commit is pending: the copy would not be notified of it. */
  #beginCopy(source: DataFile, target: DataFile, signal: AbortSignal): DataCopy {
    const copy = new DataCopy(source.database, target.database, signal);
    this.#copy = copy;
    return copy;
  }

  /** Without it a crash of the machine may restore the old file, which lacks later commits. */
  async #syncFolder(directory: string): Promise<void> {
    try {
      await syncDirectory(directory);
    } catch (error) {
      this.#options.broken(error);
    }
  }
}

/**
 * Adds up the size of all entries. It rests most of the time: a request takes several turns of the event loop, each of
 * which would have a step. Only a copy waits for a count, and ends its rests by `hurry`.
 */
async function count(database: LmdbDatabase, signal: AbortSignal, hurry: AbortSignal): Promise<DataUsage> {
  const cursor = new EntryCursor(database);
  const either = AbortSignal.any([signal, hurry]);
  let usage: DataUsage = { bytes: 0, entries: 0 };
  for (;;) {
    const begun = performance.now();
    const { entries, bytes } = cursor.next();
    if (entries.length === 0) return usage;
    usage = { bytes: usage.bytes + bytes, entries: usage.entries + entries.length };
    const milliseconds = Math.min(REST * (performance.now() - begun), MAX_REST_MS);
    if (!hurry.aborted) await rest(milliseconds, undefined, { signal: either }).catch(() => {});
    if (hurry.aborted) await setImmediate();
    signal.throwIfAborted();
  }
}

/** Throws RangeError unless this many bytes and the reserve are free on the disk of `path`. */
function checkSpace(path: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize <= bytes * 1.1 + RESERVE) {
    throw new RangeError('a copy of the store needs more space than there is');
  }
}

async function removeDataFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}-lock`, { force: true });
}
