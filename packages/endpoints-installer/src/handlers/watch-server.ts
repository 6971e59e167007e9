import { hasElapsed, MAX_TIMER_MS } from '@apiserver/apimachinery/clock';
import type { StatusError } from '@apiserver/apimachinery/errors';
import type { Logger, ResponseWriter, WatchEvent, WatchSink, WatchSource } from '@apiserver/apiserver-contracts';
import { PreparedEvents } from './prepared-events.js';
import type { WatchFrames } from './watch-frames.js';

/** Bytes of past events that may wait for one client: a client may start hundreds of watches. */
const PAST_BYTES = 256 * 1024;
/** Milliseconds for which a client may lag after a burst of events. */
const BURST_MS = 2_000;
/** Multiple of the allowed queued bytes at which a client is disconnected during a burst. */
const BURST_FACTOR = 4;

/** Dependencies of one watch. */
export interface ServedWatch {
  readonly source: WatchSource;
  readonly frames: WatchFrames;
  readonly writer: ResponseWriter;
  /** Aborted when the client disconnects or the server ends the watch. */
  readonly signal: AbortSignal;
  /** Negative: the watch ends before its first event. */
  readonly timeoutMs: number;
  /** Maximum number of bytes queued for the client after a burst. With more, the client is disconnected. */
  readonly maxBufferBytes: number;
  /** Milliseconds. */
  readonly now: () => number;
  /** Called with the size of every event that is sent. */
  readonly countEvent: (bytes: number) => void;
  /** Called once the past events are sent. */
  readonly initialized: () => void;
  /** Called when the client was too slow. */
  readonly countTerminated: () => void;
  readonly logger: Logger;
  readonly path: string;
}

/**
 * Writes the events of a watch until it times out, the client disconnects or is too slow, or the source ends. Then it
 * closes the source and resolves. An error of the source is sent in an ERROR event; an event that cannot be encoded
 * ends the watch without one.
 *
 * Upstream: WatchServer in k8s.io/apiserver/pkg/endpoints/handlers/watch.go
 */
export function serveWatch(watch: ServedWatch): Promise<void> {
  return new Promise((resolve) => {
    new WatchServer(watch, resolve).start();
  });
}

class WatchServer implements WatchSink {
  readonly #watch: ServedWatch;
  readonly #resolve: () => void;
  readonly #events: PreparedEvents;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  /** The time at which the queue exceeded its limit. */
  #fullSince: number | undefined = undefined;

  constructor(watch: ServedWatch, resolve: () => void) {
    this.#watch = watch;
    this.#resolve = resolve;
    this.#events = new PreparedEvents({
      prepare: (event) => watch.frames.prepare(event),
      take: (event) => this.#write(event),
      fail: (error) => this.#failed(error),
    });
  }

  start(): void {
    const { signal, timeoutMs, source } = this.#watch;
    if (signal.aborted || timeoutMs < 0) {
      this.#finish();
      return;
    }
    signal.addEventListener('abort', this.#stop, { once: true });
    this.#timer = setTimeout(this.#stop, Math.min(timeoutMs, MAX_TIMER_MS));
    source.start(this);
  }

  event(event: WatchEvent): void {
    if (this.#ended) return;
    if (this.#watch.writer.closed || this.#isTooSlow()) {
      this.#finish();
      return;
    }
    this.#events.push(event);
  }

  #write(event: WatchEvent): void {
    const { frames } = this.#watch;
    try {
      this.#send(frames.frame(event));
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const { logger, path } = this.#watch;
    logger.error(error, 'Ending a watch whose object cannot be encoded', { path });
    this.#finish();
  }

  #send(frame: Uint8Array): void {
    const { writer, frames, countEvent } = this.#watch;
    writer.write(frame);
    countEvent(frame.length - frames.lengthBytes);
  }

  #isTooSlow(): boolean {
    const { writer, maxBufferBytes, now, logger, path, countTerminated } = this.#watch;
    const bufferedBytes = writer.bufferedBytes + this.#events.bytes;
    if (bufferedBytes <= maxBufferBytes) {
      this.#fullSince = undefined;
      return false;
    }
    this.#fullSince ??= now();
    if (bufferedBytes <= maxBufferBytes * BURST_FACTOR && !hasElapsed({ now }, this.#fullSince, BURST_MS)) return false;
    countTerminated();
    logger.v(2)?.info('Ending a watch whose client does not keep up', { path, bufferedBytes });
    return true;
  }

  end(error?: StatusError): void {
    const waiting = this.#events.drained();
    if (waiting === undefined) this.#end(error);
    else void waiting.then(() => this.#end(error));
  }

  #end(error: StatusError | undefined): void {
    if (this.#ended) return;
    const { writer, frames } = this.#watch;
    if (error !== undefined && !writer.closed) this.#send(frames.errorFrame(error.status));
    this.#finish();
  }

  caughtUp(): void {
    this.#watch.initialized();
  }

  /** Past events wait until the client has read earlier ones. */
  ready(): Promise<void> | undefined {
    const { writer, maxBufferBytes } = this.#watch;
    const waiting = this.#events.drained();
    if (waiting !== undefined) return waiting;
    return writer.bufferedBytes > Math.min(maxBufferBytes / 2, PAST_BYTES) ? writer.drained() : undefined;
  }

  readonly #stop = (): void => this.#finish();

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.stop();
    clearTimeout(this.#timer);
    this.#watch.signal.removeEventListener('abort', this.#stop);
    this.#watch.source.close();
    this.#resolve();
  }
}
