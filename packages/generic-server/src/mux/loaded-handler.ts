import { once } from '@apiserver/apimachinery/lazy';
import type { Handler } from '@apiserver/apiserver-contracts';

/** A handler whose code is loaded by its first request. */
export function loadedHandler(load: () => Promise<Handler>): Handler {
  const loaded = once(load);
  return async (exchange) => (await loaded())(exchange);
}
