import type { VerbContext, WriteOptions } from '@apiserver/apiserver-contracts';

const USUAL: WriteOptions = {};

/** Options of a write: `ttl` in seconds, absent or 0 for an object that stays. */
export function writeOptions({ yieldToEventLoop }: VerbContext, ttl: number | undefined): WriteOptions {
  if (yieldToEventLoop === undefined) return ttl ? { ttl } : USUAL;
  return ttl ? { ttl, isLarge: true } : { isLarge: true };
}
