import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyValueEvent, KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { ManualClock } from '../testing/manual-clock.js';
import { create, listOptions, setColor } from '../testing/storage-suite-fixture.js';
import { newWidgetCache } from '../testing/widget-cache.js';

/** A store that others write to, whose watches tell nothing while it is quiet, and that leaves values out where asked. */
class SharedStore {
  readonly store: KeyValueStore;
  readonly asked: string[] = [];
  quiet = false;

  constructor(inner: KeyValueStore) {
    this.store = {
      freshness: 'unknown',
      get: (key, options) => {
        this.asked.push(`get ${key.split('/').at(-1)}${options?.revision === undefined ? '' : ' then'}`);
        return inner.get(key, options);
      },
      range: async (request) => {
        const page = await inner.range(request);
        this.asked.push(`${request.keysOnly === true ? 'keys' : 'values'} ${page.kvs.length}`);
        return request.keysOnly === true ? { ...page, kvs: page.kvs.map(withoutValue) } : page;
      },
      watch: (request, sink) => {
        const event = (one: KeyValueEvent): void => {
          if (!this.quiet) sink.event(one);
        };
        return inner.watch(request, { event, end: (error) => sink.end(error) });
      },
      commit: (request) => inner.commit(request),
      currentRevision: () => inner.currentRevision(),
      compact: (revision) => inner.compact(revision),
      compactedRevision: () => inner.compactedRevision(),
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }
}

const withoutValue = (kv: Awaited<ReturnType<KeyValueStore['range']>>['kvs'][number]) => ({
  ...kv,
  value: new Uint8Array(0),
});

let clock: ManualClock;
let shared: SharedStore;

beforeEach(() => {
  clock = new ManualClock();
  shared = new SharedStore(createMemoryStore({ clock, compactionInterval: 0 }));
});
afterEach(() => shared.store[Symbol.asyncDispose]());

const names = Array.from({ length: 40 }, (_, i) => `w${String(i).padStart(2, '0')}`);

/** A filled cache, and another writer that it does not hear of when `behind` objects are changed. */
async function cacheBehind(behind: number) {
  const cache = newWidgetCache({ store: shared.store, clock });
  for (const name of names) await create(cache, `ns/${name}`);
  await cache.ready();
  shared.quiet = true;
  const other = newWidgetCache({ store: shared.store, clock });
  for (const name of names.slice(0, behind)) await setColor(other, `ns/${name}`, 'changed');
  shared.asked.length = 0;
  return cache;
}

describe('lists of a cache that cannot know whether it is up to date', () => {
  it.each<readonly [string, number, readonly string[]]>([
    ['asks for keys alone where it has all', 0, ['keys 40']],
    ['asks for the values it has not', 2, ['keys 40', 'get w00 then', 'get w01 then']],
    ['reads all where it lacks much', 30, ['keys 40', 'values 40']],
  ])('%s', async (_, behind, asked) => {
    await using cache = await cacheBehind(behind);
    const { items } = await cache.list('', listOptions({}));
    expect(items.map(({ object }) => [object.metadata.name, object.spec?.color])).toEqual(
      names.map((name, i) => [name, i < behind ? 'changed' : undefined]),
    );
    expect(shared.asked).toEqual(asked);
  });

  it('pages, counts and selects as before', async () => {
    await using cache = await cacheBehind(1);
    const page = await cache.list('ns/', listOptions({ limit: 15 }));
    expect([page.items.length, page.remainingItemCount]).toEqual([15, 25]);
    const next = await cache.list('ns/', listOptions({ limit: 30, continue: page.continue ?? '' }));
    expect([...page.items, ...next.items].map(({ object }) => object.metadata.name)).toEqual(names);
    const { items } = await cache.list('', listOptions({ field: 'metadata.name=w07' }));
    expect(items.map(({ object }) => object.metadata.name)).toEqual(['w07']);
  });
});
