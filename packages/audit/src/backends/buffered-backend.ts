import { type Clock, sleep, TokenBucket } from '@apiserver/apimachinery/clock';
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
  /** Events that wait. */
  readonly bufferSize: number;
  readonly maxBatchSize: number;
  /** Milliseconds for which an event waits for a full batch. */
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
 * Lets no request wait: events are sent later, in batches. Events beyond the buffer are lost.
 * Upstream: k8s.io/apiserver/plugin/pkg/audit/buffered
 */
export class BufferedBackend implements AuditBackend {
  readonly name: string;
  readonly isStrict = false;
  readonly #options: BufferedOptions;
  readonly #throttle: TokenBucket | undefined;
  readonly #stop = new AbortController();
  readonly #sending = new Set<Promise<unknown>>();
  #queue: AuditRecord[] = [];
  /** Of events in the queue and on their way. */
  #bytes = 0;
  #isDue = false;
  #cancelTimer: (() => void) | undefined = undefined;
  #draining: Promise<void> | undefined = undefined;

  constructor(options: BufferedOptions) {
    const { backend, clock, config } = options;
    this.name = `${PLUGIN}<${backend.name}>`;
    this.#options = options;
    this.#throttle = config.throttleEnable
      ? new TokenBucket(config.throttleQPS, config.throttleBurst, clock)
      : undefined;
  }

  process(records: readonly AuditRecord[]): boolean {
    const { config, metrics } = this.#options;
    for (const [index, record] of records.entries()) {
      const isFull = this.#queue.length >= config.bufferSize || this.#bytes + record.byteLength > MAX_BYTES;
      if (isFull || this.#stop.signal.aborted) {
        metrics.lost(PLUGIN, isFull ? BLOCKED : SHUT_DOWN, records.slice(index));
        break;
      }
      this.#queue.push(record);
      this.#bytes += record.byteLength;
    }
    this.#wake();
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#draining;
    const disposing = this.#options.backend[Symbol.asyncDispose]();
    await Promise.all([...this.#sending, disposing]);
  }

  get #isReady(): boolean {
    if (this.#queue.length === 0) return false;
    return this.#isDue || this.#stop.signal.aborted || this.#queue.length >= this.#options.config.maxBatchSize;
  }

  #wake(): void {
    if (this.#draining !== undefined) return;
    if (this.#isReady) {
      this.#draining = this.#drain().finally(() => {
        this.#draining = undefined;
        if (!this.#stop.signal.aborted) this.#wake();
      });
    } else if (this.#queue.length > 0) {
      const { clock, config } = this.#options;
      this.#cancelTimer ??= clock.schedule(() => {
        this.#cancelTimer = undefined;
        this.#isDue = true;
        this.#wake();
      }, config.maxBatchWait);
    }
  }

  async #drain(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    while (this.#isReady) {
      await this.#admitted();
      const batch = this.#takeBatch();
      // Events that came with the timer are sent, not those after them.
      this.#isDue &&= this.#queue.length > 0 && batch.length === this.#options.config.maxBatchSize;
      const sent = this.#send(batch);
      if (!this.#options.isAsync && this.#queue.length === 0) await sent;
    }
  }

  /** Waits for the throttle; not at shutdown. */
  async #admitted(): Promise<void> {
    const { clock, config } = this.#options;
    const { signal } = this.#stop;
    while (this.#throttle !== undefined && !signal.aborted && !this.#throttle.take()) {
      await sleep(clock, 1_000 / config.throttleQPS, signal);
    }
  }

  #takeBatch(): AuditRecord[] {
    const { maxBatchSize } = this.#options.config;
    let count = 0;
    let bytes = 0;
    while (count < maxBatchSize && count < this.#queue.length && (count === 0 || bytes < BATCH_BYTES)) {
      bytes += this.#queue[count]?.byteLength ?? 0;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #send(batch: readonly AuditRecord[]): Promise<void> {
    const sent = this.#options.backend.process(batch);
    if (sent instanceof Promise) {
      this.#sending.add(sent);
      await sent;
      this.#sending.delete(sent);
    }
    for (const { byteLength } of batch) this.#bytes -= byteLength;
  }
}
