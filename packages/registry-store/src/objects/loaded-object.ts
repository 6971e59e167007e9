import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from '@apiserver/apiserver-contracts';

/** The object, made in several turns of the event loop if it is large: then it is a promise. */
export function loadedObject<T extends KubeObject>(stored: Pick<StoredObject<T>, 'object' | 'load'>): T | Promise<T> {
  return stored.load?.() ?? stored.object;
}
