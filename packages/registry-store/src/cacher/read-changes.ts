import type { KubeObject } from '@apiserver/apimachinery';
import type { Change } from '../objects/change.js';
import { changeOf, folderRange, type ObjectFolder } from '../objects/object-folder.js';
import type { ChangesAfter } from './cache-watcher.js';

const BATCH = 500;

/**
 * Reads changes that the cache has forgotten from the store's own history: up to about a batch of those after `position`,
 * or all there are. `forgotten` is the revision of the newest change that the cache has forgotten; where a watch cannot
 * tell how far it is, that change ends the reading. Rejects with the store's error, Compacted when they are gone there too.
 */
export function readChanges<T extends KubeObject>(
  folder: ObjectFolder<T>,
  position: number,
  forgotten: number,
): Promise<ChangesAfter<T>> {
  return new Promise((resolve, reject) => {
    const changes: Change<T>[] = [];
    const finish = (upTo: number): void => {
      watch.close();
      resolve({ changes, upTo });
    };
    const last = folder.store.freshness === 'unknown' ? forgotten : Number.POSITIVE_INFINITY;
    let full = false;
    const watch = folder.store.watch(
      { ...folderRange(folder, ''), fromRevision: position + 1 },
      {
        event(event) {
          changes.push(changeOf(folder, event));
          if (full || (changes.length < BATCH && event.revision < last)) return;
          full = true;
          // The other changes of the same revision come in the same turn.
          queueMicrotask(() => finish(changes.at(-1)?.revision ?? position));
        },
        end: reject,
      },
    );
    if (last === forgotten) return;
    const behind = watch.catchUp();
    if (behind === undefined) finish(watch.revision);
    else void behind.then(() => full || finish(watch.revision), reject);
  });
}
