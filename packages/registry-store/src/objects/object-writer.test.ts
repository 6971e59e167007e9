import { systemClock } from '@apiserver/apimachinery/clock';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCacher } from '../cacher/cacher.js';
import { KeyValueError } from '../key-value-error.js';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { sharedStore } from '../testing/shared-store.js';
import { create, hasCode, listOptions, make, names, setColor } from '../testing/suites/storage-suite-fixture.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetContext, WIDGETS } from '../testing/widget-cache.js';
import { widgetsOfTwoVersions } from '../testing/widget-kind.js';
import type { AtRestConversion } from './at-rest-conversion.js';
import { createObjectStorage } from './object-storage.js';
import type { ResourceContext } from './resource-context.js';
import type { Transformed } from './transformer.js';

let store: KeyValueStore;
beforeEach(() => {
  store = createMemoryStore({ clock: systemClock, compactionInterval: 0 });
});
afterEach(() => store[Symbol.asyncDispose]());

const KEY = `${WIDGETS}ns/a`;
const atRest = async () => Buffer.from((await store.get(KEY)).kv?.value ?? []).toString();

async function overwrite(text: string): Promise<number> {
  const { kv } = await store.get(KEY);
  const value = Buffer.from(text);
  const result = await store.commit({ type: 'put', key: KEY, value, expectedRevision: kv?.modRevision ?? 0 });
  return result.revision;
}

type Changes = Parameters<typeof newWidgetContext>[0] & Pick<ResourceContext<Widget>, 'conversion' | 'metrics'>;

function open({ conversion, metrics, ...rest }: Changes) {
  const context = {
    ...newWidgetContext(rest),
    ...(conversion === undefined ? {} : { conversion }),
    ...(metrics === undefined ? {} : { metrics }),
  };
  return createObjectStorage(context, systemClock);
}

describe('an unread deletion', () => {
  it('needs an object', async () => {
    const storage = open({ store });
    await expect(storage.deleteUnread('ns/a')).rejects.toEqual(hasCode('KeyNotFound'));
    await create(storage, 'ns/a');
    await storage.deleteUnread('ns/a');
    await expect(storage.deleteUnread('ns/a')).rejects.toEqual(hasCode('KeyNotFound'));
  });

  it('deletes what another client has written in the meantime, unless that was a deletion', async () => {
    const storage = open({ store });
    const racing = async (meanwhile: () => Promise<unknown>) => {
      const commit = store.commit.bind(store);
      vi.spyOn(store, 'commit').mockImplementationOnce(async (request) => {
        await meanwhile();
        return await commit(request);
      });
      await storage.deleteUnread('ns/a');
    };
    await create(storage, 'ns/a');
    await racing(() => setColor(storage, 'ns/a', 'red'));
    expect((await store.get(KEY)).kv).toBeUndefined();
    await create(storage, 'ns/a');
    await expect(racing(() => storage.deleteUnread('ns/a'))).rejects.toEqual(hasCode('KeyNotFound'));
  });
});

describe('an update without changes', () => {
  it.each([
    ['writes nothing if the bytes at rest are the same', (text: string) => text, 0],
    ['rewrites bytes at rest that only read the same', (text: string) => text.replace('"spec"', '"odd":1,"spec"'), 1],
  ])('%s', async (_, change, writes) => {
    const storage = open({ store, definition: widgetsOfTwoVersions() });
    await create(storage, 'ns/a', { spec: { color: 'red' } });
    const made = await atRest();
    const revision = await overwrite(change(made));
    expect([await setColor(storage, 'ns/a', 'red'), await atRest()]).toEqual([revision + writes, made]);
    expect(await setColor(storage, 'ns/a', 'blue')).toBe(revision + writes + 1);
  });
});

/** Objects are at rest in version v2, and the context has v1. Those of a "tooth" cannot be read. */
function conversion(later: boolean): AtRestConversion {
  const eventually = <V>(value: () => V): V | Promise<V> => (later ? Promise.resolve().then(value) : value());
  const renamed = (bytes: Uint8Array, from: string, to: string) =>
    Buffer.from(Buffer.from(bytes).toString().replace(`example.com/${from}`, `example.com/${to}`));
  return {
    fromStored: (bytes) =>
      eventually((): Transformed => {
        const text = Buffer.from(bytes).toString();
        if (text.includes('tooth')) throw new Error('it is broken');
        if (text.includes('nail')) throw newInternalError('the webhook is away');
        return { bytes: renamed(bytes, 'v2', 'v1'), stale: !text.includes('example.com/v2') };
      }),
    toStored: (bytes) => eventually(() => renamed(bytes, 'v1', 'v2')),
  };
}

describe.each([
  ['at once', false],
  ['by a webhook', true],
])('objects that are converted %s', (_, later) => {
  const opened = () => {
    let undecodable = 0;
    const metrics = {
      requested: () => {},
      eventReceived: () => {},
      progressReceived: () => {},
      listed: () => {},
      undecodable: () => void undecodable++,
    };
    return { storage: open({ store, conversion: conversion(later), metrics }), undecodable: () => undecodable };
  };

  it('are stored in one version and read in another', async () => {
    const { storage } = opened();
    const created = await storage.create('ns/a', make('ns/a', { spec: { color: 'red' } }));
    expect([created.object.apiVersion, JSON.parse(await atRest()).apiVersion]).toEqual([
      'example.com/v1',
      'example.com/v2',
    ]);
    const { stored } = await storage.guaranteedUpdate('ns/a', {}, async () => ({ object: make('ns/a') }));
    const read = await storage.get('ns/a', {});
    const listed = await storage.list('ns/', listOptions());
    expect([stored, read, listed.items[0]].map((one) => one?.object)).toEqual(
      Array.from({ length: 3 }, () => ({
        ...make('ns/a'),
        metadata: { ...make('ns/a').metadata, resourceVersion: '3' },
      })),
    );
  });

  it('are rewritten by an update without changes if their bytes at rest are others', async () => {
    const { storage } = opened();
    await create(storage, 'ns/a', { spec: { color: 'red' } });
    const made = await atRest();
    expect(await setColor(storage, 'ns/a', 'red')).toBe(2);
    // Stale, and then with a field that the version of the context does not have.
    for (const text of [made.replace('/v2', '/v1'), made.replace('"spec"', '"odd":1,"spec"')]) {
      const revision = await overwrite(text);
      expect([await setColor(storage, 'ns/a', 'red'), await atRest()]).toEqual([revision + 1, made]);
    }
    const newest = await setColor(storage, 'ns/a', 'red');
    expect([newest, await setColor(storage, 'ns/a', 'blue')]).toEqual([6, 7]);
  });

  it('are corrupt if they cannot be read, unless the reason is for the client', async () => {
    const { storage, undecodable } = opened();
    await create(storage, 'ns/a', { spec: { color: 'tooth' } }).catch(() => {});
    const refused = [storage.get('ns/a', {}), storage.list('ns/', listOptions())];
    const details = { message: expect.stringContaining('it is broken') };
    for (const call of refused) await expect(call).rejects.toMatchObject({ storageErrorCode: 'Corrupt', details });
    expect(undecodable()).toBe(3);
    await overwrite(JSON.stringify(make('ns/a', { spec: { color: 'nail' } })));
    for (const call of [storage.get('ns/a', {}), storage.list('ns/', listOptions())]) {
      await expect(call).rejects.toMatchObject({ status: { code: 500, message: expect.stringContaining('is away') } });
    }
    expect(undecodable()).toBe(3);
  });

  it('are listed and read, large ones too', async () => {
    const { storage } = opened();
    const spec = { color: 'x'.repeat(300_000) };
    await create(storage, 'ns/a', { spec });
    await create(storage, 'ns/b', { spec: { color: 'red' } });
    const list = await storage.list('', listOptions());
    expect([names(list), list.items[0]?.object.spec]).toEqual([['a@2', 'b@3'], spec]);
    expect((await storage.get('ns/a', {})).object.spec).toEqual(spec);
    await using cache = createCacher(
      { ...newWidgetContext({ store }), conversion: conversion(later) },
      { clock: systemClock },
    );
    await cache.ready();
    expect(names(await cache.list('', listOptions()))).toEqual(['a@2', 'b@3']);
  });

  it('are corrupt without metrics too', async () => {
    const storage = open({ store, conversion: conversion(later) });
    await create(storage, 'ns/a', { spec: { color: 'tooth' } }).catch(() => {});
    await expect(storage.get('ns/a', {})).rejects.toEqual(hasCode('Corrupt'));
  });

  it('are listed beside those that need no conversion', async () => {
    const { storage } = opened();
    await create(storage, 'ns/a');
    await create(storage, 'ns/b');
    expect(names(await storage.list('', listOptions({ limit: 1 })))).toEqual(['a@2']);
  });
});

describe('a written object', () => {
  const large = { color: 'x'.repeat(5000) };
  const stores = (): readonly [string, KeyValueStore][] => [
    ['without other writers', store],
    ['with other writers', sharedStore(store, 'onRequest')],
  ];

  it('is read again without its bytes, if the writer reads the result', async () => {
    for (const [name, given] of stores()) {
      const context = newWidgetContext({ store: given });
      await using cache = createCacher(context, { clock: systemClock });
      await cache.ready();
      const decode = vi.spyOn(context.kind.form, 'decode');
      const key = `ns/${name.length}`;
      const created = await cache.create(key, make(key, { spec: large }), { readsResult: true });
      expect([created.object.spec, created.object.metadata.resourceVersion]).toEqual([large, created.resourceVersion]);
      const change = async () => ({ object: make(key, { spec: { ...large, size: 1 } }), readsResult: true });
      const { stored } = await cache.guaranteedUpdate(key, {}, change);
      expect(stored.object.spec).toEqual({ ...large, size: 1 });
      expect(decode).not.toHaveBeenCalled();
    }
  });

  it('is the same in storage without a cache', async () => {
    const storage = open({ store });
    await create(storage, 'ns/a', { spec: large });
    for (const size of [1, 2, 3]) {
      const change = async () => ({ object: make('ns/a', { spec: { ...large, size } }), readsResult: size === 3 });
      const { stored } = await storage.guaranteedUpdate('ns/a', {}, change);
      expect(stored.object.spec).toEqual({ ...large, size });
    }
    const created = await storage.create('ns/b', make('ns/b', { spec: large }), { readsResult: true });
    expect(created.object.spec).toEqual(large);
  });

  it('is encoded in steps if it is large, and read from its bytes then', async () => {
    const storage = open({ store });
    const created = await storage.create('ns/a', make('ns/a', { spec: large }), { isLarge: true, readsResult: true });
    expect(created.object).toMatchObject({ spec: large, metadata: { resourceVersion: '2' } });
  });

  it('lives for ever without a time to live, also with one of zero', async () => {
    const storage = open({ store });
    const commit = vi.spyOn(store, 'commit');
    await storage.create('ns/a', make('ns/a'), { ttl: 0 });
    await storage.create('ns/b', make('ns/b'));
    await storage.create('ns/c', make('ns/c'), { ttl: 5 });
    await storage.guaranteedUpdate('ns/c', {}, async () => ({ object: make('ns/c', { spec: { size: 1 } }), ttl: 0 }));
    const lives = commit.mock.calls.map(([request]) => [
      'ttlSeconds' in request,
      request.type === 'put' ? request.ttlSeconds : undefined,
    ]);
    expect(lives).toEqual([
      [false, undefined],
      [false, undefined],
      [true, 5],
      [false, undefined],
    ]);
  });

  it('cannot have a version before', async () => {
    const storage = open({ store });
    const versioned = { ...make('ns/a'), metadata: { ...make('ns/a').metadata, resourceVersion: '1' } };
    await expect(storage.create('ns/a', versioned)).rejects.toMatchObject({
      status: { code: 500, message: 'resourceVersion should not be set on objects to be created' },
    });
    const empty = { ...versioned, metadata: { ...versioned.metadata, resourceVersion: '' } };
    expect((await storage.create('ns/a', empty)).resourceVersion).toBe('2');
  });
});

describe('a write over a store with other writers', () => {
  /** A cache whose state is that before the last change of another writer. */
  async function behind(change: () => Promise<unknown>) {
    const shared = sharedStore(store, 'onRequest');
    const held: (() => void)[] = [];
    let holds = false;
    const watch: KeyValueStore['watch'] = (request, sink) =>
      shared.watch(request, {
        event: (event) => void (holds ? held.push(() => sink.event(event)) : sink.event(event)),
        end: (error) => sink.end(error),
      });
    const context = newWidgetContext({ store: { ...shared, watch } });
    const cache = createCacher(context, { clock: systemClock });
    await create(cache, 'ns/a', { spec: { color: 'red' } });
    await cache.ready();
    await cache.list('', listOptions());
    holds = true;
    await change();
    const reads = vi.spyOn(store, 'get');
    return { cache, reads, [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose]() };
  }
  const others = () => open({ store });
  const refuse = (color: string) => async (object: Widget) => {
    if (object.spec?.color === color) throw new Error(`${color} is refused`);
  };

  it('reads the object once more before its cached state refuses a write', async () => {
    await using made = await behind(() => setColor(others(), 'ns/a', 'blue'));
    const { cache, reads } = made;
    expect((await cache.delete('ns/a', {}, refuse('red'))).object.spec).toEqual({ color: 'blue' });
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it('refuses it if that state is the newest', async () => {
    await using made = await behind(async () => {});
    const { cache, reads } = made;
    await expect(cache.delete('ns/a', {}, refuse('red'))).rejects.toMatchObject({ message: 'red is refused' });
    const update = async () => {
      throw new Error('no');
    };
    await expect(cache.guaranteedUpdate('ns/a', {}, update)).rejects.toMatchObject({ message: 'no' });
    expect(reads).toHaveBeenCalledTimes(2);
  });

  it('begins an update with what the cache has, and writes it without a read', async () => {
    await using made = await behind(async () => {});
    const { cache, reads } = made;
    expect(await setColor(cache, 'ns/a', 'blue')).toBe(3);
    expect(reads).not.toHaveBeenCalled();
  });

  it('does not count an update as unchanged that another writer has changed', async () => {
    await using made = await behind(() => setColor(others(), 'ns/a', 'blue'));
    const { cache } = made;
    expect(await setColor(cache, 'ns/a', 'red')).toBe(4);
    expect((await others().get('ns/a', {})).object.spec).toEqual({ color: 'red' });
  });

  it('returns the cached state of an update without changes', async () => {
    await using made = await behind(async () => {});
    const { cache } = made;
    expect([await setColor(cache, 'ns/a', 'red'), await store.currentRevision()]).toEqual([2, 2]);
  });

  it('finds an object that is gone, or is another one', async () => {
    await using made = await behind(() => others().delete('ns/a', {}, async () => {}));
    const { cache } = made;
    await expect(cache.delete('ns/a', {}, () => {})).rejects.toEqual(hasCode('KeyNotFound'));
    const { created } = await cache.guaranteedUpdate('ns/a', {}, async () => ({ object: make('ns/a') }));
    expect(created).toBe(true);
  });

  it('rewrites a damaged record, whose value it knows', async () => {
    await using made = await behind(async () => {});
    const { cache, reads } = made;
    reads.mockImplementationOnce(async (key) => {
      const { kv, revision } = await store
        .range({ start: key, end: `${key}\0` })
        .then(({ kvs, ...rest }) => ({ kv: kvs[0], ...rest }));
      return { kv: kv && { ...kv, damage: new KeyValueError('Corrupt', 'damaged') }, revision };
    });
    expect(await setColor(cache, 'ns/a', 'red')).toBe(3);
  });
});
