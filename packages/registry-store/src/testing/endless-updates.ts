import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { prefixEnd } from '../key-value-store.js';
import { openLmdbStore } from '../lmdb/open-lmdb-store.js';
import type { MvccTables, TableWrites } from '../mvcc/tables.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Parameters of the load. */
export interface EndlessUpdates {
  readonly objects: number;
  /** Bytes of each value. */
  readonly size: number;
  /** The load goes on until the file has been rewritten once, for 20 seconds more at most. */
  readonly seconds: number;
  /** Share of writes that delete the object; the next write creates it again. */
  readonly deletions?: number;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly maxHistoryBytes: number;
  readonly smallFile: number;
  /** Default: that of the store. */
  readonly maxRatio?: number;
  /** Default: that of the store. */
  readonly journalHalf?: number;
}

/** Results: the largest ratio of the file to its required content, and the longest wait of a writer in ms. */
export interface EndlessFigures {
  readonly writes: number;
  readonly rewrites: number;
  readonly worstRatio: number;
  readonly lastRatio: number;
  readonly longestWait: number;
  /** Duration of compaction steps, which delay writers, and of other commits, in ms: the median, and the 99th percentile. */
  readonly steps: CommitDurations;
  readonly commits: CommitDurations;
  /** Largest ratio of the records that one step removed to those written since the step before it, or to a minimum. */
  readonly largestStep: number;
}

/** In milliseconds. */
interface CommitDurations {
  readonly median: number;
  readonly long: number;
}

const WRITERS = 16;
/** Milliseconds until the file is small again. A busy machine takes many of them. */
const SHRINKING_MS = 5 * 60_000;
/** A step may remove as many records, however few are written. */
const SMALL_STEP = 1_024;
const range = { start: '/k/', end: prefixEnd('/k/') };

/**
 * Overwrites the same objects continuously, and compares the size of the data file with its required content (the
 * objects, and history up to its bound). Then deletes nearly all of them, and waits until the file is small again.
 * Checks throughout that nothing acknowledged is lost.
 */
export async function endlessUpdates(options: EndlessUpdates): Promise<EndlessFigures> {
  using directory = temporaryDirectory();
  const { maxHistoryBytes, smallFile, maxRatio, journalHalf, deletions = 0, random = Math.random } = options;
  const observed = new ObservedCommits();
  const open = () =>
    openLmdbStore({
      directory: directory.path,
      compactionInterval: 0,
      maxHistoryBytes,
      smallFile,
      ...(maxRatio !== undefined && { maxRatio }),
      ...(journalHalf !== undefined && { journalHalf }),
      wrapTables: (tables) => observed.over(tables),
    });
  /** By number of the object; 0 if it is deleted. */
  const revisions: number[] = [];
  let figures: EndlessFigures;
  {
    await using store = await open();
    let writes = 0;
    let live = 0;
    let longestWait = 0;
    const put = async (i: number): Promise<void> => {
      const begun = performance.now();
      const value = Buffer.alloc(options.size, 32 + (writes % 90));
      const expectedRevision = revisions[i] ?? 0;
      const type = expectedRevision > 0 && random() < deletions ? 'delete' : 'put';
      const result = await store.commit({ type, key: `/k/${i}`, value, expectedRevision });
      expect(result.committed).toBe(true);
      revisions[i] = type === 'put' ? result.revision : 0;
      live += Number(type === 'put') - Number(expectedRevision > 0);
      longestWait = Math.max(longestWait, performance.now() - begun);
      writes++;
    };
    const all = Array.from({ length: options.objects }, (_, i) => i);
    for (let i = 0; i < all.length; i += 500) await Promise.all(all.slice(i, i + 500).map(put));
    longestWait = 0;

    const end = performance.now() + options.seconds * 1000;
    const goesOn = () => {
      const now = performance.now();
      return now < end || (now < end + 20_000 && generation(directory.path) === 0);
    };
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      const count = Math.floor(options.objects / WRITERS);
      while (!isOver) await put(writer + WRITERS * Math.floor(random() * count));
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const ratio = () => dataSize(directory.path) / (live * (options.size + 100) + Math.max(maxHistoryBytes, smallFile));
    let worstRatio = 0;
    while (goesOn()) {
      worstRatio = Math.max(worstRatio, ratio());
      await sleep(100);
    }
    isOver = true;
    await Promise.all(writers);
    const lastRatio = ratio();
    figures = {
      writes,
      rewrites: generation(directory.path),
      worstRatio,
      lastRatio,
      longestWait,
      ...observed.figures(),
    };

    const gone = revisions.splice(options.objects / 20);
    const deleted = gone.flatMap((expectedRevision, i) =>
      expectedRevision === 0
        ? []
        : [store.commit({ type: 'delete', key: `/k/${i + revisions.length}`, expectedRevision })],
    );
    for (const { committed } of await Promise.all(deleted)) expect(committed).toBe(true);
    await store.compact(await store.currentRevision());
    const left = revisions.length * (options.size + 100);
    const small = Math.max(2 * left, smallFile);
    for (let waited = 0; dataSize(directory.path) > small && waited < SHRINKING_MS; waited += 50) await sleep(50);
    expect(dataSize(directory.path)).toBeLessThanOrEqual(small);
  }
  await using store = await open();
  const { kvs } = await store.range(range);
  expect(kvs.map((kv) => [kv.key, kv.modRevision]).toSorted()).toEqual(
    revisions.flatMap((revision, i) => (revision === 0 ? [] : [[`/k/${i}`, revision]])).toSorted(),
  );
  return figures;
}

/** Commits that only remove history, and all others. */
class ObservedCommits {
  readonly #steps: number[] = [];
  readonly #others: number[] = [];
  #written = 0;
  #largestStep = 0;

  over(tables: MvccTables): MvccTables {
    const commit = tables.commit.bind(tables);
    return Object.assign(tables, {
      commit: async (writes: TableWrites): Promise<void> => {
        const begun = performance.now();
        await commit(writes);
        this.#add(writes, performance.now() - begun);
      },
    });
  }

  figures(): Pick<EndlessFigures, 'steps' | 'commits' | 'largestStep'> {
    return { steps: durations(this.#steps), commits: durations(this.#others), largestStep: this.#largestStep };
  }

  #add({ log }: TableWrites, milliseconds: number): void {
    const removed = [...log.values()].filter((record) => record === undefined).length;
    if (removed < log.size) {
      this.#others.push(milliseconds);
      this.#written += log.size - removed;
      return;
    }
    this.#steps.push(milliseconds);
    this.#largestStep = Math.max(this.#largestStep, removed / Math.max(this.#written, SMALL_STEP));
    this.#written = 0;
  }
}

function durations(times: readonly number[]): CommitDurations {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { median: at(0.5), long: at(0.99) };
}

function current(directory: string): string {
  return readFileSync(join(directory, 'CURRENT'), 'utf8').trim();
}

/** Size of the store's current file; a new one may be in progress. */
function dataSize(directory: string): number {
  return statSync(join(directory, current(directory)), { throwIfNoEntry: false })?.size ?? 0;
}

/** Number of rewrites. */
function generation(directory: string): number {
  expect(readdirSync(directory)).toContain(current(directory));
  return Number(/-(\d+)/.exec(current(directory))?.[1] ?? 0);
}
