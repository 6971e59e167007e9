import type { KubeObject } from '@apiserver/apimachinery';
import type { KeyValueWatch } from '../key-value-store.js';
import type { Change } from '../objects/change.js';
import { changeOf } from '../objects/entry-of.js';
import { type ResourceContext, resourceRange } from '../objects/resource-context.js';
import { InOrder } from '../objects/watch/in-order.js';
import type { ChangesAfter } from './cache-watcher.js';

const BATCH = 500;

/**
 * Reads changes that the cache has dropped from the store's history: up to about a batch of those after `position`, or
 * all. `forgotten` is the revision of the newest dropped change; if a watch cannot report progress, that change ends
 * the read. Rejects with the store's error, Compacted if they are gone there too.
 */
export function readChanges<T extends KubeObject>(
  context: ResourceContext<T>,
  position: number,
  forgotten: number,
): Promise<ChangesAfter<T>> {
  return new Promise((resolve, reject) => {
    const changes: Change<T>[] = [];
    const fail = (error: unknown): void => {
      watch?.close();
      reject(error);
    };
    const inOrder = new InOrder<Change<T>>((change) => changes.push(change), fail);
    let seen = 0;
    let newest = position;
    const finish = async (upTo: number): Promise<void> => {
      watch?.close();
      await inOrder.drained();
      resolve({ changes, upTo });
    };
    const last = context.store.freshness === 'unknown' ? forgotten : Number.POSITIVE_INFINITY;
    let full = false;
    let watch: KeyValueWatch | undefined;
    watch = context.store.watch(
      { ...resourceRange(context, ''), fromRevision: position + 1 },
      {
        event(event) {
          inOrder.push(event.revision, () => changeOf(context, event), event.more);
          seen++;
          newest = event.revision;
          if (full || (seen < BATCH && event.revision < last)) return;
          full = true;
          // The other changes of the same revision arrive in the same turn.
          queueMicrotask(() => void finish(newest));
        },
        end: fail,
      },
    );
    if (last === forgotten) return;
    const behind = watch.catchUp();
    const finishHere = (): void => {
      if (!full) void finish(watch.revision);
    };
    if (behind === undefined) finishHere();
    else void behind.then(finishHere, fail);
  });
}
