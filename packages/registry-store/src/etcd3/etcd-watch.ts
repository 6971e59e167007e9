import type { Clock } from '@apiserver/apimachinery/clock';
import { GrpcCode, type GrpcError } from '../grpc/grpc-error.js';
import type { GrpcStream } from '../grpc/grpc-stream.js';
import { compactedError, KeyValueError } from '../key-value-error.js';
import type { KeyValueSink, KeyValueWatch, KeyValueWatchRequest } from '../key-value-store.js';
import type { EtcdConnection } from './etcd-connection.js';
import {
  decodeWatchResponse,
  type EtcdEvent,
  type EtcdWatchResponse,
  encodeProgressRequest,
  encodeWatchCreation,
} from './messages/watch.js';
import { WATCH } from './methods.js';
import { toEvent } from './to-event.js';

/**
 * Upstream's interval of progress requests; here the first is sent at once. Upstream: cacher/progress/watch_progress.go
 */
const PROGRESS_PERIOD_MS = 100;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1000;

/** Dependencies of `EtcdWatch`. */
export interface EtcdWatchOptions {
  readonly connection: EtcdConnection;
  readonly clock: Clock;
  readonly request: KeyValueWatchRequest;
  readonly sink: KeyValueSink;
  /** Reports whether the server supports progress requests correctly. */
  readonly progress: () => Promise<boolean>;
  /** The newest revision, see RevisionReader. */
  readonly newest: () => Promise<number>;
  closed(watch: EtcdWatch): void;
}

/** A caller that waits until the watch has delivered everything up to a revision. */
interface Waiter {
  readonly revision: number;
  readonly done: () => void;
}

/**
 * A watch on etcd with its own stream, so that a slow one does not delay the progress of others. When the stream breaks
 * it resumes at the next server after the last complete revision. A revision is never split by etcd, so nothing is lost
 * or repeated.
 */
export class EtcdWatch implements KeyValueWatch {
  readonly #options: EtcdWatchOptions;
  /** False until the server has reported the start of a watch "from now on". */
  #positioned: boolean;
  #revision: number;
  #stream: GrpcStream | undefined;
  #established = Promise.withResolvers<void>();
  #failures = 0;
  #waiters: Waiter[] = [];
  #cancelTimer: () => void = () => {};
  #cancelProgress: (() => void) | undefined;
  #closed = false;

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
    this.#positioned = options.request.fromRevision !== undefined;
    this.#revision = (options.request.fromRevision ?? 1) - 1;
    this.#connect();
  }

  get revision(): number {
    return this.#revision;
  }

  catchUp(): Promise<void> {
    return this.#catchUp();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelTimer();
    this.#cancelProgress?.();
    this.#stream?.abort();
    this.#established.resolve();
    for (const { done } of this.#waiters.splice(0)) done();
    this.#options.closed(this);
  }

  /** Ends the watch from the store's side. */
  end(error: KeyValueError): void {
    if (this.#closed) return;
    this.close();
    this.#options.sink.end(error);
  }

  async #catchUp(): Promise<void> {
    const { newest, progress } = this.#options;
    await this.#established.promise;
    if (!(await progress())) return;
    const revision = await newest();
    if (this.#closed || this.#revision >= revision) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.push({ revision, done: resolve });
    if (this.#cancelProgress === undefined) this.#askProgress();
    await promise;
  }

  /** Sends requests while there are waiters: a server only responds after all earlier events. */
  #askProgress(): void {
    this.#stream?.send(encodeProgressRequest());
    this.#cancelProgress = this.#options.clock.schedule(() => this.#askProgress(), PROGRESS_PERIOD_MS);
  }

  #connect(): void {
    const { connection, request } = this.#options;
    let stream: GrpcStream;
    try {
      stream = connection.open(WATCH, {
        message: (bytes) => {
          if (this.#stream === stream) this.#take(stream, bytes);
        },
        end: (error) => {
          if (this.#stream === stream) this.#broken(error);
        },
      });
    } catch (error) {
      queueMicrotask(() => this.end(error instanceof KeyValueError ? error : unavailable(String(error))));
      return;
    }
    this.#stream = stream;
    const startRevision = this.#positioned ? this.#revision + 1 : 0;
    stream.send(
      encodeWatchCreation({
        key: request.start,
        end: request.end,
        startRevision,
        previous: request.previous !== false,
      }),
    );
  }

  #take(stream: GrpcStream, bytes: Buffer): void {
    const response = decodeWatchResponse(bytes);
    if (response.canceled) {
      this.#canceled(stream, response);
      return;
    }
    this.#failures = 0;
    for (const [i, event] of response.events.entries()) {
      this.#deliver(event, response.events[i + 1]?.kv.modRevision === event.kv.modRevision);
    }
    if (this.#closed) return;
    const last = response.events.at(-1);
    if (last === undefined && !response.created) this.#options.sink.progress?.();
    // Progress, unsolicited or requested: a response without events means that there are none up to its revision.
    if (last !== undefined) this.#reached(last.kv.modRevision);
    else if (!response.created || !this.#positioned) this.#reached(response.revision);
    if (!response.created) return;
    // A lagging member, or another etcd, which would stay silent until it reaches the revision: a read tells which.
    if (response.revision < this.#revision) void this.#options.newest().catch(() => {});
    this.#positioned = true;
    this.#established.resolve();
  }

  #deliver(event: EtcdEvent, more: boolean): void {
    if (event.kv.modRevision <= this.#revision || this.#closed) return;
    try {
      this.#options.sink.event(toEvent(event, more));
    } catch (cause) {
      // A bug of its owner, which would recur with the same event.
      this.end(new KeyValueError('Unavailable', 'the receiver of a watch failed', { cause }));
    }
  }

  #reached(revision: number): void {
    if (revision > this.#revision) this.#revision = revision;
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => waiter.revision > this.#revision);
    for (const waiter of waiters) if (waiter.revision <= this.#revision) waiter.done();
    if (this.#waiters.length > 0) return;
    this.#cancelProgress?.();
    this.#cancelProgress = undefined;
  }

  #canceled(stream: GrpcStream, { compactRevision, cancelReason }: EtcdWatchResponse): void {
    stream.abort();
    if (compactRevision !== 0) this.end(compactedError(compactRevision));
    else if (cancelReason.includes('permission denied')) this.end(unavailable(cancelReason));
    else this.#reconnect();
  }

  #broken(error: GrpcError | undefined): void {
    const code = error?.outcome === 'refused' ? error.grpcCode : undefined;
    if (code === GrpcCode.permissionDenied || code === GrpcCode.unauthenticated) {
      this.end(unavailable(error?.message ?? ''));
    } else this.#reconnect();
  }

  #reconnect(): void {
    if (this.#closed) return;
    this.#stream = undefined;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, MAX_PAUSE_MS);
    this.#cancelTimer = this.#options.clock.schedule(() => this.#connect(), pause);
  }
}

function unavailable(reason: string): KeyValueError {
  return new KeyValueError('Unavailable', `etcd: ${reason}`);
}
