import type { VerbContext, WriteOptions } from '@apiserver/apiserver-contracts';

const USUAL: WriteOptions = {};
const READ: WriteOptions = { readsResult: true };

/** Options of a write: `ttl` in seconds, absent or 0 for an object that stays. */
export function writeOptions({ yieldToEventLoop, readsResult }: VerbContext, ttl: number | undefined): WriteOptions {
  if (readsResult === true && yieldToEventLoop === undefined) return ttl ? { ttl, readsResult } : READ;
  if (yieldToEventLoop === undefined) return ttl ? { ttl } : USUAL;
  return ttl ? { ttl, isLarge: true } : { isLarge: true };
}
