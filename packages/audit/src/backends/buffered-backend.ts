import { type Clock, durationClock, sleep, TokenBucket } from '@apiserver/apimachinery/clock';
import { messageOf } from '@apiserver/apimachinery/errors';
import type { AuditRecord } from '../event/audit-record.js';
import type { AuditBackend } from './audit-backend.js';
import type { AuditMetrics } from './audit-metrics.js';

const PLUGIN = 'buffered';
const BLOCKED = 'audit buffer queue blocked';
const SHUT_DOWN = 'audit backend shut down';

/** Bytes of events that wait or are on their way. Upstream has no such bound, and a dead webhook fills the memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes from which a batch takes no further event. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** The bounds of a buffer and its batches. Upstream: BatchConfig of k8s.io/apiserver/plugin/pkg/audit/buffered */
export interface BatchConfig {
  /** Events that wait behind a batch that is being sent. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  /** Milliseconds between two batches, at most. */
  readonly maxBatchWait: number;
  readonly throttleEnable: boolean;
  /** Batches in a second. */
  readonly throttleQPS: number;
  readonly throttleBurst: number;
}

/** Dependencies of a buffer. */
export interface BufferedOptions {
  readonly backend: AuditBackend;
  readonly config: BatchConfig;
  /** True to send batches without waiting for the one before. */
  readonly isAsync: boolean;
  readonly clock: Clock;
  readonly metrics: AuditMetrics;
}

/**
 * Lets no request wait: events are sent later, in batches. While a batch waits for the throttle or for the backend,
 * later events wait in the buffer. Events beyond the buffer are lost.
 * Upstream: k8s.io/apiserver/plugin/pkg/audit/buffered
 */
export class BufferedBackend implements AuditBackend {
  readonly name: string;
  readonly isStrict = false;
  readonly #options: BufferedOptions;
  readonly #throttle: TokenBucket | undefined;
  readonly #stop = new AbortController();
  readonly #clock: Clock;
  readonly #sending = new Set<Promise<unknown>>();
  /** Events of the next batch; those behind it, while batches are being sent. */
  #batch: AuditRecord[] = [];
  #queue: AuditRecord[] = [];
  /** Of the next batch, and of all events that wait or are on their way. */
  #batchBytes = 0;
  #bytes = 0;
  /** The time of the last batch. */
  #lastBatch: number;
  #cancelTimer: (() => void) | undefined = undefined;
  #isBlocked = false;
  #draining: Promise<void> | undefined = undefined;

  constructor(options: BufferedOptions) {
    const { backend, clock, config } = options;
    this.name = `${PLUGIN}<${backend.name}>`;
    this.#options = options;
    this.#clock = durationClock(clock);
    this.#lastBatch = this.#clock.now();
    this.#throttle = config.throttleEnable
      ? new TokenBucket(config.throttleQPS, config.throttleBurst, clock)
      : undefined;
  }

  process(records: readonly AuditRecord[]): boolean {
    for (const [index, record] of records.entries()) {
      const refusal = this.#refusalOf(record);
      if (refusal !== undefined) {
        this.#options.metrics.lost(PLUGIN, refusal, records.slice(index));
        break;
      }
      this.#bytes += record.byteLength;
      if (this.#isBlocked) this.#queue.push(record);
      else this.#collect(record);
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    if (!this.#isBlocked && this.#batch.length > 0) this.#drain();
    await this.#draining;
    const disposing = this.#options.backend[Symbol.asyncDispose]();
    await Promise.all([...this.#sending, disposing]);
  }

  #refusalOf({ byteLength }: AuditRecord): string | undefined {
    if (this.#stop.signal.aborted) return SHUT_DOWN;
    const isFull = this.#isBlocked && this.#queue.length >= this.#options.config.bufferSize;
    return isFull || this.#bytes + byteLength > MAX_BYTES ? BLOCKED : undefined;
  }

  get #isFull(): boolean {
    return this.#batch.length >= this.#options.config.maxBatchSize || this.#batchBytes >= BATCH_BYTES;
  }

  #collect(record: AuditRecord): void {
    this.#add(record);
    if (this.#isFull) this.#drain();
    else this.#startTimer();
  }

  #add(record: AuditRecord): void {
    this.#batch.push(record);
    this.#batchBytes += record.byteLength;
  }

  /** The wait is the longest time between two batches, so it begins with the last one. */
  #startTimer(): void {
    const { config } = this.#options;
    if (this.#cancelTimer !== undefined) return;
    const passed = this.#clock.now() - this.#lastBatch;
    const left = config.maxBatchWait > 0 ? config.maxBatchWait - (passed % config.maxBatchWait) : 0;
    this.#cancelTimer = this.#clock.schedule(() => this.#drain(), left);
  }

  #drain(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#isBlocked = true;
    this.#draining = this.#sendBatches();
  }

  /** Sends the batch, and those that became full in the meantime. */
  async #sendBatches(): Promise<void> {
    const { isAsync } = this.#options;
    const { signal } = this.#stop;
    do {
      const batch = this.#batch;
      this.#batch = [];
      this.#batchBytes = 0;
      if (this.#throttle?.take() === false) await this.#admitted(this.#throttle);
      const sent = this.#send(batch);
      if (!isAsync && this.#queue.length === 0) await sent;
      this.#lastBatch = this.#clock.now();
      this.#refill();
    } while (this.#isFull || (signal.aborted && this.#batch.length > 0));
    this.#isBlocked = false;
    if (this.#batch.length > 0) this.#startTimer();
  }

  #refill(): void {
    let count = 0;
    for (; count < this.#queue.length && !this.#isFull; count++) {
      const record = this.#queue[count];
      if (record !== undefined) this.#add(record);
    }
    this.#queue.splice(0, count);
  }

  /** Waits for the throttle; not at shutdown. */
  async #admitted(throttle: TokenBucket): Promise<void> {
    const { clock, config } = this.#options;
    const { signal } = this.#stop;
    do await sleep(clock, 1_000 / config.throttleQPS, signal);
    while (!signal.aborted && !throttle.take());
  }

  async #send(batch: readonly AuditRecord[]): Promise<void> {
    const { backend, metrics } = this.#options;
    let sent: boolean | Promise<boolean> = true;
    try {
      sent = backend.process(batch);
      if (!(sent instanceof Promise)) return;
      this.#sending.add(sent);
      await sent;
    } catch (error) {
      // A bug of the backend must not block the events that follow.
      metrics.lost(PLUGIN, messageOf(error), batch);
    } finally {
      if (sent instanceof Promise) this.#sending.delete(sent);
      for (const { byteLength } of batch) this.#bytes -= byteLength;
    }
  }
}
