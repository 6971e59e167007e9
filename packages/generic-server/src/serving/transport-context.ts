import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { FlushScheduler } from './http1/coalescing-writer.js';

/** Milliseconds that a client has to take the rest of a stream that has ended. */
export const unreadTime = 30_000;

/** What every transport of a listener works with. */
export interface TransportContext {
  readonly handler: Handler;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly scheduler: FlushScheduler;
}

/** Fills in the defaults of a transport. */
export function transportContext(given: Omit<TransportContext, 'scheduler'>): TransportContext {
  return { ...given, scheduler: new FlushScheduler() };
}
