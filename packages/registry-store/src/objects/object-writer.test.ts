import { systemClock } from '@apiserver/apimachinery/clock';
import { newInternalError } from '@apiserver/apimachinery/errors';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
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
      ...{ requested: () => {}, eventReceived: () => {}, progressReceived: () => {}, listed: () => {} },
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

  it('are listed beside those that need no conversion', async () => {
    const { storage } = opened();
    await create(storage, 'ns/a');
    await create(storage, 'ns/b');
    expect(names(await storage.list('', listOptions({ limit: 1 })))).toEqual(['a@2']);
  });
});
