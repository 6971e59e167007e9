import type { KubeObject } from '@apiserver/apimachinery';
import type { Change } from '../objects/change.js';
import { changeOf, folderRange, type ObjectFolder } from '../objects/object-folder.js';
import type { ChangesAfter } from './cache-watcher.js';

const BATCH = 500;

/**
 * Reads changes that the cache has forgotten from the store's own history: up to a batch of those after `position`, or
 * all there are. Rejects with the store's error, Compacted when they are gone there too.
 */
export function readChanges<T extends KubeObject>(folder: ObjectFolder<T>, position: number): Promise<ChangesAfter<T>> {
  return new Promise((resolve, reject) => {
    const changes: Change<T>[] = [];
    const finish = (upTo: number): void => {
      watch.close();
      resolve({ changes, upTo });
    };
    const watch = folder.store.watch(
      { ...folderRange(folder, ''), fromRevision: position + 1 },
      {
        event(event) {
          changes.push(changeOf(folder, event));
          if (changes.length >= BATCH) finish(event.revision);
        },
        end: reject,
      },
    );
    const behind = watch.catchUp();
    if (behind === undefined) finish(watch.revision);
    else void behind.then(() => finish(watch.revision));
  });
}
