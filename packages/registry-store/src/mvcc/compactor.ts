import type { Clock } from '@apiserver/apimachinery/clock';
import { compactedError, futureRevisionError } from '../key-value-error.js';
import type { CommitQueue } from './commit-queue.js';
import { HistorySize } from './history-size.js';
import type { StoreState } from './store-state.js';
import type { TableWriter } from './table-writer.js';
import type { MetaRecord, MvccTables } from './tables.js';

/** Limits of the history. */
export interface CompactionOptions {
  /**
   * Milliseconds between two compactions; each drops what is older than the previous one, so history covers one to two
   * intervals. 0: never. Upstream: --etcd-compaction-interval, default 5 minutes.
   */
  readonly compactionInterval?: number;
  /** History beyond this many revisions is cut to half of it. */
  readonly maxHistory?: number;
  /** History is also cut when its values exceed this many bytes, and an eighth of the file. */
  readonly maxHistoryBytes?: number;
}

export const DEFAULT_COMPACTION_INTERVAL_MS = 5 * 60_000;
const DEFAULT_MAX_HISTORY = 1_000_000;
const DEFAULT_MAX_HISTORY_BYTES = 64 * 1024 * 1024;
/**
 * Revisions per commit, which delays writers: as many as take some milliseconds on this disk at this time. They must
 * exceed those written since the previous commit, so that the removal ends however slowly the disk syncs.
 */
const MIN_STEP = 16;
const FIRST_STEP = 128;
const MAX_STEP = 512;
const FASTER_THAN_WRITERS = 1.5;
const SHORT_MS = 5;
const LONG_MS = 15;
/** Interval at which the tables are asked to shrink during a removal of history. */
const RECLAIM_INTERVAL_MS = 100;

interface CompactorOptions {
  readonly tables: MvccTables;
  readonly state: StoreState;
  readonly queue: CommitQueue;
  readonly clock: Clock;
  readonly options: CompactionOptions;
}

/** Drops history: on request, in every interval, and when it is too large. */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #interval: number;
  readonly #maxHistory: number;
  readonly #size: HistorySize;
  #cancelTick: () => void = () => {};
  #pruning: Promise<void> | undefined;
  #step = FIRST_STEP;
  #nextReclaim = 0;
  #cutting = false;
  #stopped = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#interval = options.options.compactionInterval ?? DEFAULT_COMPACTION_INTERVAL_MS;
    this.#maxHistory = options.options.maxHistory ?? DEFAULT_MAX_HISTORY;
    this.#size = new HistorySize(options.options.maxHistoryBytes ?? DEFAULT_MAX_HISTORY_BYTES);
    this.#scheduleTick();
    // A process that was killed during a removal left some of it.
    const { meta } = options.state;
    if (meta.prunedRevision < meta.compactedRevision) this.#inBackground(this.#prune());
  }

  /**
   * Throws Compacted for a compacted revision, FutureRevision for a future one. Resolves when everything is removed.
   */
  async compact(revision: number): Promise<void> {
    const { queue } = this.#options;
    await queue.exclusive((_writer, meta) => {
      if (revision > meta.revision) throw futureRevisionError(meta.revision);
      if (revision <= meta.compactedRevision) throw compactedError(meta.compactedRevision);
      return { ...meta, compactedRevision: revision };
    });
    await this.#prune();
  }

  /** Called after every write with its revision, and the bytes that it added to the history. */
  grown(revision: number, bytes: number): void {
    this.#size.add(revision, bytes);
    this.#cut();
  }

  #cut(): void {
    const { meta } = this.#options.state;
    const tooLong = meta.revision - meta.compactedRevision > this.#maxHistory;
    if ((!tooLong && !this.#size.exceeded) || this.#cutting || this.#stopped) return;
    const target = tooLong ? meta.revision - Math.floor(this.#maxHistory / 2) : this.#tooLarge();
    if (target === undefined || target <= meta.compactedRevision) return;
    this.#cutting = true;
    void this.compact(target).then(
      () => this.#endCut(true),
      () => this.#endCut(false),
    );
  }

  /** More may have been written in the meantime; after a failure the next write retries. */
  #endCut(done: boolean): void {
    this.#cutting = false;
    if (done) this.#cut();
  }

  /** The revision at which to cut a history that is too large for its file. */
  #tooLarge(): number | undefined {
    const size = this.#options.tables.size?.() ?? 0;
    return this.#size.cut(size / 8);
  }

  /** Resolves when the current step is done. The rest is done after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTick();
    await this.#pruning?.catch(() => {});
  }

  #scheduleTick(): void {
    if (this.#interval <= 0) return;
    const { clock, state } = this.#options;
    const last = state.meta.tickTime === 0 ? clock.now() : state.meta.tickTime;
    const wait = Math.min(Math.max(0, last + this.#interval - clock.now()), this.#interval);
    this.#cancelTick = clock.schedule(() => this.#inBackground(this.#tick()), wait);
  }

  /** Compacts to the revision of the previous tick, and records the current one. Idle stores write nothing. */
  async #tick(): Promise<void> {
    const { queue, clock, state } = this.#options;
    try {
      if (state.meta.tickRevision !== state.meta.revision || state.meta.tickRevision > state.meta.compactedRevision) {
        await queue.exclusive((_writer, meta) => ({
          ...meta,
          compactedRevision: Math.max(meta.compactedRevision, meta.tickRevision),
          tickTime: clock.now(),
          tickRevision: meta.revision,
        }));
        await this.#prune();
      }
    } finally {
      if (!this.#stopped) this.#cancelTick = clock.schedule(() => this.#inBackground(this.#tick()), this.#interval);
    }
  }

  /** One removal at a time; a second call waits for the first, which reads the newest target at every step. */
  #prune(): Promise<void> {
    this.#pruning ??= this.#pruneAll().finally(() => {
      this.#pruning = undefined;
    });
    return this.#pruning;
  }

  async #pruneAll(): Promise<void> {
    const { state, queue, tables } = this.#options;
    let { revision } = state.meta;
    while (state.meta.prunedRevision < state.meta.compactedRevision && !this.#stopped) {
      let begun = 0;
      await tables.readyToRemove?.();
      await queue.exclusive((writer, meta) => {
        begun = performance.now();
        const written = meta.revision - revision;
        revision = meta.revision;
        const step = Math.max(this.#step, Math.ceil(written * FASTER_THAN_WRITERS));
        return pruneStep(tables, writer, { meta, step });
      });
      this.#adjustStep(performance.now() - begun);
      this.#reclaimNowAndThen();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (!this.#stopped) tables.reclaim?.();
  }

  /** Under endless writes the removal never ends. */
  #reclaimNowAndThen(): void {
    const now = performance.now();
    if (this.#stopped || now < this.#nextReclaim) return;
    this.#nextReclaim = now + RECLAIM_INTERVAL_MS;
    this.#options.tables.reclaim?.();
  }

  #adjustStep(milliseconds: number): void {
    if (milliseconds > LONG_MS) this.#step = Math.max(MIN_STEP, this.#step / 2);
    else if (milliseconds < SHORT_MS) this.#step = Math.min(MAX_STEP, this.#step * 2);
  }

  /** A failure is recorded in the store's state or recurs in the next run; this promise is not awaited. */
  #inBackground(work: Promise<void>): void {
    work.catch(() => {});
  }
}

/**
 * Removes what the next revisions made unreachable: the version before each of them, and deletions themselves. Each
 * record names its predecessor, so only the new part of the history is scanned.
 */
function pruneStep(
  tables: MvccTables,
  writer: TableWriter,
  { meta, step }: { readonly meta: MetaRecord; readonly step: number },
): MetaRecord {
  const prunedRevision = Math.min(meta.prunedRevision + step, meta.compactedRevision);
  for (let revision = meta.prunedRevision + 1; revision <= prunedRevision; revision++) {
    const record = tables.lendLog(revision);
    // The version that a damaged record replaced stays: its revision is unknown.
    if (record === undefined || record.damaged === true) continue;
    if (record.previousRevision !== 0) writer.log.set(record.previousRevision, undefined);
    if (record.value !== undefined) continue;
    writer.log.set(revision, undefined);
    if (writer.readIndex(record.key)?.revision === revision) writer.index.set(record.key, undefined);
  }
  return { ...meta, prunedRevision };
}
