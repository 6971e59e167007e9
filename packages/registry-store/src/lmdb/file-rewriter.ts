import { statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TimeSlice } from '../mvcc/yielding.js';
import { DataCopy } from './data-copy.js';
import { DataFile } from './data-file.js';
import { announceDataFile, nextDataFile, prepareDataFile, syncDirectory, withdrawDataFile } from './data-files.js';
import { type DataUsage, entryCount } from './data-usage.js';
import { EntryCursor } from './entry-cursor.js';
import { type LmdbDatabase, openEnvironment } from './environment.js';

const MIB = 1024 * 1024;
/** A file may be so many times as large as a freshly written one would be. */
export const MAX_RATIO = 1.75;
/** Not worth the work below this size. */
export const SMALL_FILE = 16 * MIB;
/** What a rewrite leaves free on the disk for the store itself. */
const RESERVE = 64 * MIB;
/** After a failure nothing is tried for so long, in milliseconds: what was in the way is there for a while. */
const PAUSE = 60_000;

interface FileRewriterOptions {
  readonly fsync: boolean;
  /** Files up to this size, in bytes, are left alone. */
  readonly small: number;
  /** How many times as large as a freshly written one a file may be. */
  readonly maxRatio: number;
  /** The file that is the store. */
  file(): DataFile;
  /** Runs `work` while nothing is being committed. */
  exclusively<T>(work: () => T | Promise<T>): Promise<T>;
  /** Takes another file for the store. */
  use(file: DataFile): void;
  /** Called when nobody knows which file the next start will find: no commit may be acknowledged any more. */
  broken(error: unknown): void;
}

/** A rewrite, or the counting that tells whether it is worth the work. */
interface Work {
  readonly cancel: AbortController;
  readonly done: Promise<void>;
}

/**
 * Keeps the data file from staying larger than what is in it. LMDB uses free pages again, but never makes a file smaller,
 * and of pages whose records were overwritten or compacted a few often stay behind in each; so where free and half-empty
 * pages come to too much, everything is copied into a new file, which then takes the place of the old.
 */
export class FileRewriter {
  readonly #options: FileRewriterOptions;
  #usage: DataUsage | undefined;
  #copy: DataCopy | undefined;
  #work: Work | undefined;
  /** Much has been removed while the last look was under way. */
  #again = false;
  #notBefore = 0;
  #stopped = false;

  constructor(options: FileRewriterOptions) {
    this.#options = options;
  }

  /** The copy that is being made: to be told of every key that is written. */
  get copy(): DataCopy | undefined {
    return this.#copy;
  }

  /** Begins to look closer, and to rewrite, when the file seems to be too large. Costs little when it is not. */
  consider(): void {
    if (this.#stopped || performance.now() < this.#notBefore) return;
    if (this.#work !== undefined) {
      this.#again = true;
      return;
    }
    const file = this.#options.file();
    const size = file.size();
    if (size <= this.#options.small || size <= this.#options.maxRatio * this.#estimate(file.database)) return;
    const cancel = new AbortController();
    this.#again = false;
    // Without the space, and after any other failure, the store goes on as it is; a call after the pause tries again.
    const done = this.#rewriteIfWorth(file, cancel.signal)
      .catch(() => {
        this.#notBefore = performance.now() + PAUSE;
      })
      .finally(() => this.#ended());
    this.#work = { cancel, done };
  }

  #ended(): void {
    this.#work = undefined;
    if (this.#again) this.consider();
  }

  /** Gives up a rewrite that is under way. */
  cancel(): void {
    this.#work?.cancel.abort();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.cancel();
    await this.#work?.done;
  }

  /** What was counted last, scaled to the number of entries there are now. */
  #estimate(database: LmdbDatabase): number {
    const usage = this.#usage;
    return usage === undefined || usage.entries === 0 ? 0 : (usage.bytes / usage.entries) * entryCount(database);
  }

  async #rewriteIfWorth(file: DataFile, signal: AbortSignal): Promise<void> {
    checkSpace(file.path, this.#estimate(file.database));
    const usage = await count(file.database, signal);
    this.#usage = usage;
    if (file.size() <= this.#options.maxRatio * usage.bytes) return;
    checkSpace(file.path, usage.bytes);
    this.#usage = await this.#rewrite(file, signal);
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

  /** At a moment when nothing is being committed: of a commit under way nobody would tell the copy. */
  #beginCopy(source: DataFile, target: DataFile, signal: AbortSignal): DataCopy {
    const copy = new DataCopy(source.database, target.database, signal);
    this.#copy = copy;
    return copy;
  }

  /** Without it a crash of the machine may bring the old file back, which knows nothing of what follows. */
  async #syncFolder(directory: string): Promise<void> {
    try {
      await syncDirectory(directory);
    } catch (error) {
      this.#options.broken(error);
    }
  }
}

/** Adds up what all entries take, in slices. */
async function count(database: LmdbDatabase, signal: AbortSignal): Promise<DataUsage> {
  const cursor = new EntryCursor(database);
  const slice = new TimeSlice();
  let usage: DataUsage = { bytes: 0, entries: 0 };
  for (;;) {
    const { entries, bytes } = cursor.next();
    if (entries.length === 0) return usage;
    usage = { bytes: usage.bytes + bytes, entries: usage.entries + entries.length };
    if (!slice.over) continue;
    await slice.yield();
    signal.throwIfAborted();
  }
}

/** Throws RangeError unless so many bytes and the reserve are free where `path` is. */
function checkSpace(path: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize <= bytes * 1.1 + RESERVE) throw new RangeError('a rewrite needs more space than there is');
}

async function removeDataFile(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(`${path}-lock`, { force: true });
}
