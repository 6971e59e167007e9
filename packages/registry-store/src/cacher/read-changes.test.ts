import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { createObjectStorage } from '../objects/object-storage.js';
import { create, setColor } from '../testing/suites/storage-suite-fixture.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { readChanges } from './read-changes.js';

/** The revisions of the changes after 2, of which the cache has dropped those up to 4, and where the read ends. */
async function changesOf(freshness: KeyValueStore['freshness']) {
  const clock = new ManualClock();
  await using store = createMemoryStore({ clock, compactionInterval: 0 });
  const storage = createObjectStorage(newWidgetContext({ store }), clock);
  await create(storage, 'ns/a');
  for (const color of ['red', 'blue', 'green', 'white']) await setColor(storage, 'ns/a', color);
  let asked = 0;
  const shown: KeyValueStore = {
    ...(freshness === undefined ? {} : { freshness }),
    get: (...parameters) => store.get(...parameters),
    range: (request) => store.range(request),
    commit: (request) => store.commit(request),
    currentRevision: () => store.currentRevision(),
    compact: (revision) => store.compact(revision),
    compactedRevision: () => store.compactedRevision(),
    watch: (request, sink) => {
      const watch = store.watch(request, sink);
      return {
        get revision() {
          return watch.revision;
        },
        catchUp: () => {
          asked++;
          return watch.catchUp();
        },
        close: () => watch.close(),
      };
    },
    [Symbol.asyncDispose]: async () => {},
  };
  const { changes, upTo } = await readChanges(newWidgetContext({ store: shown }), 2, 4);
  return { revisions: changes.map(({ revision }) => revision), upTo, asked };
}

it('reads all changes of a store that knows its progress', async () => {
  expect(await changesOf(undefined)).toEqual({ revisions: [3, 4, 5, 6], upTo: 6, asked: 1 });
});

it('does not ask a store for a progress that it does not know', async () => {
  const { revisions, upTo, asked } = await changesOf('unknown');
  expect([revisions.slice(0, 2), asked]).toEqual([[3, 4], 0]);
  expect(upTo).toBe(revisions.at(-1));
});
