import type { KeyValueError } from '../key-value-error.js';
import type { CommitRequest, CommitResult, KeyValue } from '../key-value-store.js';
import type { ExpiryClock } from './expiry-clock.js';
import type { StoreState } from './store-state.js';
import { TableWriter } from './table-writer.js';
import type { LogRecord, MetaRecord, MvccTables } from './tables.js';
import { toKeyValueError } from './to-key-value-error.js';
import { WriterGathering } from './writer-gathering.js';

/**
 * Maximum number of writes in one durable commit, so that a burst need not wait for all of it. They are published in
 * one event loop turn, in which their callers continue.
 */
const MAX_BATCH = 500;

/** A durable write, as watchers and readers get it. */
export interface PublishedVersion {
  readonly revision: number;
  readonly record: LogRecord;
  readonly expiresAt: number;
}

/** The tables of a store, and the receivers of its writes. */
export interface CommitQueueOptions {
  readonly tables: MvccTables;
  readonly state: StoreState;
  readonly clock: Pick<ExpiryClock, 'now'>;
  /** The published value of a key. */
  current(key: string): KeyValue | undefined;
  /** Called for each durable write, in revision order, right after state.meta.revision has become its revision. */
  publish(version: PublishedVersion): void;
  /** Called once, if the store can no longer be trusted. */
  failed(error: KeyValueError): void;
}

/** Changes the tables between two batches of commits: returns the writes and the new meta record. */
type ExclusiveStep = (writer: TableWriter, meta: MetaRecord) => MetaRecord;

/** The single writer of a store. */
export interface CommitQueue {
  commit(request: CommitRequest): Promise<CommitResult>;
  /** Runs `step` while no commit is pending, and resolves when its writes are durable. */
  exclusive(step: ExclusiveStep): Promise<void>;
  /** Resolves when nothing is queued or pending. */
  idle(): Promise<void>;
}

/** Makes a queue that gathers the writes of many requests into one durable commit. */
export function createCommitQueue(options: CommitQueueOptions): CommitQueue {
  return new GroupCommitQueue(options);
}

interface Waiting {
  readonly request: CommitRequest;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: KeyValueError) => void;
}

interface WaitingStep {
  readonly step: ExclusiveStep;
  readonly resolve: () => void;
  readonly reject: (error: KeyValueError) => void;
}

/** The result of a write; undefined if its comparison failed. */
type Outcome = PublishedVersion | undefined;

class GroupCommitQueue implements CommitQueue {
  readonly #options: CommitQueueOptions;
  readonly #gathering = new WriterGathering();
  #waiting: Waiting[] = [];
  #steps: WaitingStep[] = [];
  #running: Promise<void> | undefined;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#gathering.came(this.#waiting.length);
      this.#run();
    });
  }

  exclusive(step: ExclusiveStep): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#steps.push({ step, resolve, reject });
      this.#run();
    });
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #run(): void {
    this.#running ??= this.#drain();
  }

  /** Starts in a later microtask, so that writes of one turn already share the first batch. */
  async #drain(): Promise<void> {
    await Promise.resolve();
    await this.#gathering.burst();
    while (this.#waiting.length > 0 || this.#steps.length > 0) {
      const step = this.#steps.shift();
      if (step !== undefined) await this.#runStep(step);
      if (this.#waiting.length > 0) await this.#runNext();
    }
    // In the same turn as the last check of the queues, so that nothing is queued unnoticed.
    this.#running = undefined;
  }

  async #runNext(): Promise<void> {
    await this.#gathering.gather(this.#waiting.length);
    await this.#runBatch(this.#waiting.splice(0, MAX_BATCH));
  }

  async #runStep({ step, resolve, reject }: WaitingStep): Promise<void> {
    const { tables, state } = this.#options;
    try {
      state.checkOpen();
      const writer = new TableWriter(tables);
      const meta = step(writer, state.meta);
      if (meta !== state.meta) await tables.commit(writer.writes(meta));
      state.meta = meta;
      resolve();
    } catch (error) {
      reject(this.#failure(error));
    }
  }

  async #runBatch(batch: readonly Waiting[]): Promise<void> {
    const { tables, state } = this.#options;
    const began = performance.now();
    try {
      state.checkOpen();
      const writer = new TableWriter(tables);
      let revision = state.meta.revision;
      const outcomes: Outcome[] = batch.map(({ request }) => {
        const outcome = this.#apply(request, writer, revision + 1);
        if (outcome !== undefined) revision++;
        return outcome;
      });
      if (!writer.empty) await tables.commit(writer.writes({ ...state.meta, revision }));
      this.#publish(outcomes);
      this.#settle(batch, outcomes);
    } catch (error) {
      const failure = this.#failure(error);
      for (const { reject } of batch) reject(failure);
    }
    // In the turn of the responses: callers that write again at once were in this batch.
    const came = Math.min(this.#waiting.length, MAX_BATCH - batch.length);
    this.#gathering.committed(batch.length, came, performance.now() - began);
  }

  #apply(request: CommitRequest, writer: TableWriter, revision: number): Outcome {
    const before = writer.readIndex(request.key);
    const current = before === undefined || before.deleted ? 0 : before.revision;
    if (current !== request.expectedRevision) return undefined;
    if (request.type === 'delete' && current === 0) return undefined;
    const deleted = request.type === 'delete';
    const expiresAt =
      deleted || !request.ttlSeconds ? 0 : Math.ceil(this.#options.clock.now()) + request.ttlSeconds * 1000;
    const value = deleted ? undefined : request.value;
    writer.putVersion(request.key, value, { revision, deleted, expiresAt }, before);
    return { revision, record: writer.log.get(revision) as LogRecord, expiresAt };
  }

  /** Makes writes visible: counter, value and event in one synchronous step each. */
  #publish(outcomes: readonly Outcome[]): void {
    const { state, publish } = this.#options;
    for (const outcome of outcomes) {
      if (outcome === undefined) continue;
      state.meta = { ...state.meta, revision: outcome.revision };
      publish(outcome);
    }
  }

  #settle(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    const { state, current } = this.#options;
    batch.forEach(({ request, resolve }, i) => {
      const outcome = outcomes[i];
      if (outcome !== undefined) resolve({ committed: true, revision: outcome.revision });
      else resolve({ committed: false, current: current(request.key), revision: state.meta.revision });
    });
  }

  /** After a clean rejection the store continues unchanged; after any other error it must stop. */
  #failure(error: unknown): KeyValueError {
    const { state } = this.#options;
    const failure = toKeyValueError(error);
    const clean = failure.keyValueErrorCode === 'NoSpace' || failure.keyValueErrorCode === 'TooLarge';
    if (!clean && state.failure === undefined && !isUsageError(failure)) {
      state.failure = failure;
      this.#options.failed(failure);
    }
    return failure;
  }
}

/** True for rejections that leave the tables unchanged. */
function isUsageError(error: KeyValueError): boolean {
  return error.keyValueErrorCode === 'Compacted' || error.keyValueErrorCode === 'FutureRevision';
}
