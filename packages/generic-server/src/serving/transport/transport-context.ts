import type { Duplex } from 'node:stream';
import type { ApiRequest, Handler, Logger } from '@apiserver/apiserver-contracts';
import { EndedRequests, FlushScheduler, UnreadBytes } from '@apiserver/http2';
import { WriteCoalescer } from './coalescing-writer.js';

/** Time for a client to take the rest of an ended stream, or any of the bytes that wait for it, in milliseconds. */
export const UNREAD_TIME_MS = 30_000;

/** The state that all transports of a listener share. */
export interface TransportContext {
  readonly handler: Handler;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly coalescer: WriteCoalescer;
  readonly scheduler: FlushScheduler;
  readonly unread: UnreadBytes;
  readonly ended: EndedRequests;
  /** HTTP/1 connections whose clients may pause for any time, because their data waits at its source. */
  readonly patient: WeakSet<Duplex>;
  /** Set when the listener drains: each later response on HTTP/1 is the last of its connection. */
  isDraining: boolean;
}

/** Creates the context of the transports of a listener. */
export function transportContext(given: Pick<TransportContext, 'handler' | 'logger' | 'now'>): TransportContext {
  return {
    handler: given.handler,
    logger: given.logger,
    now: given.now,
    coalescer: new WriteCoalescer(),
    scheduler: new FlushScheduler(),
    unread: new UnreadBytes(),
    ended: new EndedRequests(),
    patient: new WeakSet(),
    isDraining: false,
  };
}

/**
 * To be called before the head of a response is written. Watchers then get the event of a write before the writer gets
 * its response. A client that keeps a cache by a watch finds its own write in it. Upstream's events race with the
 * response.
 */
export function eventsFirst({ coalescer, scheduler }: TransportContext, { method, httpVersion }: ApiRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  coalescer.flushNow();
  // HTTP/2 flushes responses after the events of the turn anyway.
  if (httpVersion !== '2.0') scheduler.flushEvents();
}
