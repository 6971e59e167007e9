import type { KubeObject } from '@apiserver/apimachinery';
import { TimeSlice } from '@apiserver/apimachinery/clock';
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

/**
 * The objects of a list, however long. Other requests have turns of the event loop between slices of some milliseconds,
 * by default those of `TimeSlice`.
 */
export async function* loadedObjects<T extends KubeObject>(
  items: Iterable<Pick<StoredObject<T>, 'object' | 'load'>>,
  milliseconds?: number,
): AsyncGenerator<T, void, undefined> {
  const slice = new TimeSlice(milliseconds);
  for (const item of items) {
    if (slice.over) await slice.yield();
    yield loadedObject(item);
  }
}
