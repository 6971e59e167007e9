import type { KubeObject } from '@apiserver/apimachinery';
import type { StoredObject } from './stored-object.js';

/** The object; a large one is decoded in several event loop turns, and returned as a promise. */
export function loadedObject<T extends KubeObject>(stored: Pick<StoredObject<T>, 'object' | 'load'>): T | Promise<T> {
  return stored.load?.() ?? stored.object;
}

/** Calls `take` with the object: at once, or when a large one is decoded. Only then it returns a promise. */
export function whenLoaded<T extends KubeObject>(
  stored: Pick<StoredObject<T>, 'object' | 'load'>,
  take: (object: T) => void,
): Promise<void> | void {
  const loading = stored.load?.();
  return loading === undefined ? take(stored.object) : loading.then(take);
}
