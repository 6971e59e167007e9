import type { Duplex } from 'node:stream';
import type { ApiRequest, Handler, Logger } from '@apiserver/apiserver-contracts';
import { FlushScheduler, UnreadBytes } from '@apiserver/http2';
import { WriteCoalescer } from './coalescing-writer.js';

/** Milliseconds that a client has to take the rest of a stream that has ended, or anything of what waits for it. */
export const unreadTime = 30_000;

/** The state that all transports of a listener share. */
export interface TransportContext {
  readonly handler: Handler;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly coalescer: WriteCoalescer;
  readonly scheduler: FlushScheduler;
  readonly unread: UnreadBytes;
  /** HTTP/1 connections whose clients read when they like: what is sent there waits elsewhere. */
  readonly patient: WeakSet<Duplex>;
  /** Set when the listener drains: from then on each response on HTTP/1 is the last of its connection. */
  isDraining: boolean;
}

/** Fills in the defaults of a transport. */
export function transportContext(given: Pick<TransportContext, 'handler' | 'logger' | 'now'>): TransportContext {
  return {
    handler: given.handler,
    logger: given.logger,
    now: given.now,
    coalescer: new WriteCoalescer(),
    scheduler: new FlushScheduler(),
    unread: new UnreadBytes(),
    patient: new WeakSet(),
    isDraining: false,
  };
}

/**
 * To be called before the answer to a request is written. Watchers get the event of a write before the writer gets its
 * answer: a client that keeps a cache by a watch finds its own write there. Upstream's events race with the answer.
 */
export function eventsFirst({ coalescer, scheduler }: TransportContext, { method, httpVersion }: ApiRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  coalescer.flushNow();
  // An answer on HTTP/2 is flushed behind the events of its turn anyway.
  if (httpVersion !== '2.0') scheduler.flushEvents();
}
