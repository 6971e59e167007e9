import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptForms } from '../kept/kept-forms.js';
import { FormMemory } from '../kept/object-forms.js';
import type { KeyValueEvent, KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { create, listOptions, setColor } from '../testing/suites/storage-suite-fixture.js';
import { newWidgetCache } from '../testing/widget-cache.js';

/** A store with other writers that omits values on request. Its watches can be behind, or silently lose events. */
class SharedStore {
  readonly store: KeyValueStore;
  readonly requested: string[] = [];
  watches: 'up to date' | 'behind' | 'losing' = 'up to date';

  constructor(inner: KeyValueStore) {
    this.store = {
      freshness: 'unknown',
      get: (key, options) => {
        this.requested.push(`get ${key.split('/').at(-1)}${options?.revision === undefined ? '' : ' then'}`);
        return inner.get(key, options);
      },
      range: async (request) => {
        const page = await inner.range(request);
        this.requested.push(`${request.keysOnly === true ? 'keys' : 'values'} ${page.kvs.length}`);
        return request.keysOnly === true ? { ...page, kvs: page.kvs.map(withoutValue) } : page;
      },
      watch: (request, sink) => {
        let reported = 0;
        const event = (one: KeyValueEvent): void => {
          if (this.watches !== 'up to date') return;
          reported = one.revision;
          sink.event(one);
        };
        const watch = inner.watch(request, { event, end: (error) => sink.end(error) });
        reported = watch.revision;
        const revision = () => (this.watches === 'behind' ? reported : watch.revision);
        return {
          get revision() {
            return revision();
          },
          catchUp: () => watch.catchUp(),
          close: () => watch.close(),
        };
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

/** A filled cache, and a second writer whose `behind` changes it does not receive. */
async function cacheBehind(behind: number, formMemory = new FormMemory(new KeptForms(clock))) {
  const cache = newWidgetCache({ store: shared.store, clock, formMemory });
  for (const name of names) await create(cache, `ns/${name}`);
  await cache.ready();
  shared.watches = 'behind';
  const other = newWidgetCache({ store: shared.store, clock });
  for (const name of names.slice(0, behind)) await setColor(other, `ns/${name}`, 'changed');
  shared.requested.length = 0;
  return cache;
}

describe('a cache that is compared with its store', () => {
  const exactly = (revision: number) => listOptions({ resourceVersion: String(revision), match: 'Exact' });

  it('is found to be right, even when it is behind', async () => {
    await using cache = await cacheBehind(0);
    expect(await cache.checkConsistency?.()).toBe(true);
    await setColor(cache, 'ns/w02', 'changed');
    shared.requested.length = 0;
    expect([await cache.checkConsistency?.(), shared.requested]).toEqual([true, ['keys 40', 'keys 40']]);
  });

  it('serves no lists of the past while it is wrong, and none of that time later', async () => {
    await using cache = await cacheBehind(0);
    shared.watches = 'losing';
    const missed = await setColor(cache, 'ns/w01', 'changed');
    shared.watches = 'up to date';
    const reported = await setColor(cache, 'ns/w02', 'changed');
    expect(await cache.checkConsistency?.()).toBe(false);
    shared.requested.length = 0;
    await cache.list('', exactly(reported));
    expect(shared.requested).toEqual(['keys 40', 'get w01 then']);
    await setColor(cache, 'ns/w01', 'again');
    expect(await cache.checkConsistency?.()).toBe(true);
    const healed = await setColor(cache, 'ns/w03', 'changed');
    shared.requested.length = 0;
    await cache.list('', exactly(healed));
    expect(shared.requested).toEqual([]);
    await cache.list('', exactly(missed));
    expect(shared.requested.length).toBeGreaterThan(0);
  });

  it("rejects if the store has compacted the cache's revision", async () => {
    await using cache = await cacheBehind(1);
    const revision = await shared.store.currentRevision();
    await shared.store.compact(revision);
    await expect(cache.checkConsistency?.()).rejects.toMatchObject({ storageErrorCode: 'Unavailable' });
  });

  it('is absent if the store is in this process', () => {
    const cache = newWidgetCache({ store: createMemoryStore({ clock, compactionInterval: 0 }), clock });
    expect(cache.checkConsistency).toBeUndefined();
  });
});

describe('lists of a cache without known freshness', () => {
  it.each<readonly [string, number, readonly string[]]>([
    ['asks for keys alone where it has all', 0, ['keys 40']],
    ['asks for the values it has not', 2, ['keys 40', 'get w00 then', 'get w01 then']],
    ['reads all where it lacks much', 30, ['keys 40', 'values 40']],
  ])('%s', async (_, behind, requested) => {
    await using cache = await cacheBehind(behind);
    const { items } = await cache.list('', listOptions({}));
    expect(items.map(({ object }) => [object.metadata.name, object.spec?.color])).toEqual(
      names.map((name, i) => [name, i < behind ? 'changed' : undefined]),
    );
    expect(shared.requested).toEqual(requested);
  });

  it('page, count and select as before', async () => {
    await using cache = await cacheBehind(1);
    const page = await cache.list('ns/', listOptions({ limit: 15 }));
    expect([page.items.length, page.remainingItemCount]).toEqual([15, 25]);
    const next = await cache.list('ns/', listOptions({ limit: 30, continue: page.continue ?? '' }));
    expect([...page.items, ...next.items].map(({ object }) => object.metadata.name)).toEqual(names);
    const { items } = await cache.list('', listOptions({ field: 'metadata.name=w07' }));
    expect(items.map(({ object }) => object.metadata.name)).toEqual(['w07']);
  });

  it.each(['pages', 'all'])('share the runs of the cache, but keep nothing of other objects: %s', async (wanted) => {
    const bound = new KeptForms(clock);
    const cache = await cacheBehind(1, new FormMemory(bound));
    await using _ = cache;
    const options = listOptions(wanted === 'pages' ? { limit: 40 } : {});
    const runs = async () => [...((await cache.list('ns/', options)).runs?.() ?? [])];
    const [other, own] = await runs();
    for (const run of [other, own]) run?.keep('gzip', { deflated: Buffer.alloc(7), length: 7, checksum: 0 });
    const kept = (await runs()).map((run) => [run.count, run.compressed('gzip')?.length]);
    expect([kept, bound.bytes]).toEqual([
      [
        [1, undefined],
        [39, 7],
      ],
      7,
    ]);
    const selected = await cache.list('ns/', listOptions({ field: 'spec.color=changed' }));
    expect([selected.items.length, selected.runs]).toEqual([1, undefined]);
  });
});
