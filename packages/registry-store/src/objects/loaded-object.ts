import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';

/** The object; a large one is decoded in several event loop turns, and returned as a promise. */
export function loadedObject<T extends KubeObject>(stored: Pick<StoredObject<T>, 'object' | 'load'>): T | Promise<T> {
  return stored.load?.() ?? stored.object;
}
