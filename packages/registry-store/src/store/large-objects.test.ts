import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { GenericStore, StoreHooks } from '@apiserver/apiserver-contracts';
import { expect, it, vi } from 'vitest';
import { createCacher } from '../cacher/cacher.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { DecodedObjects } from '../objects/decoded-objects.js';
import { createTestStore, testStoreSources } from '../testing/test-store.js';
import { testContext, type Widget, widget } from '../testing/widget.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { storedWidgetDefinition } from '../testing/widget-kind.js';
import { newGenericStore } from './generic-store.js';

const admitted = async () => {};
const listOptions = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

/** More than 256 KiB. */
const annotations = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, '']));

/** A large widget in a store that counts how it is decoded. */
async function storeOfLarge() {
  const clock = new ManualClock();
  const kv = createMemoryStore({ clock, compactionInterval: 0 });
  const resource = newWidgetContext({ store: kv, decoded: new DecodedObjects(2 ** 21) });
  const storage = createCacher(resource, { clock });
  await storage.ready();
  const store = newGenericStore<Widget>({ definition: storedWidgetDefinition(), storage, ...testStoreSources() });
  await store.create(testContext(), widget({ name: 'a', annotations }), admitted, {});
  const atOnce = vi.spyOn(resource.kind.form, 'decode');
  const inSteps = vi.spyOn(resource.kind.form, 'decodeSteps');
  const dispose = async () => {
    await storage[Symbol.asyncDispose]();
    await kv[Symbol.asyncDispose]();
  };
  return { store, counts: () => [atOnce.mock.calls.length, inSteps.mock.calls.length], [Symbol.asyncDispose]: dispose };
}

const updated = {
  updatedObject: async (_: unknown, old: Widget | undefined) => ({ ...structuredClone(old) }) as Widget,
};
const update = { validateCreate: admitted, validateUpdate: admitted, forceAllowCreate: false, options: {} };

it.each<[string, (store: GenericStore<Widget>) => Promise<unknown>]>([
  ['delete', (store) => store.delete(testContext(), 'a', admitted, {})],
  [
    'delete with preconditions',
    async (store) => {
      const { stored } = await store.delete(testContext(), 'a', admitted, { preconditions: { uid: 'uid-1' } });
      expect(Object.keys(stored.object.metadata.annotations ?? {})).toHaveLength(30_000);
      expect([stored.object.metadata.resourceVersion, Object.isFrozen(stored.object.metadata)]).toEqual(['3', true]);
    },
  ],
  ['delete that leaves a finalizer', (store) => store.delete(testContext(), 'a', admitted, { orphanDependents: true })],
  ['deletecollection', (store) => store.deleteCollection(testContext(), admitted, {}, listOptions)],
  [
    'update',
    (store) => {
      const objectInfo = { ...updated, preconditions: { uid: 'uid-1' } };
      return store.update(testContext(), { name: 'a', objectInfo, ...update });
    },
  ],
  ['change', (store) => store.modify(testContext(), 'a', {}, () => {})],
  [
    'create of what is there',
    (store) =>
      expect(store.create(testContext(), widget({ name: 'a' }), admitted, {})).rejects.toThrow('already exists'),
  ],
])('%s of a large object decodes it once, in turns', async (_, act) => {
  await using large = await storeOfLarge();
  await act(large.store);
  expect(large.counts()).toEqual([0, 1]);
});

it.each<['create' | 'get' | 'guaranteedUpdate', StoreHooks<Widget>, number]>([
  ['create', {}, 0],
  ['create', { afterCreate: () => {} }, 1],
  ['create', { decorate: (object) => object }, 1],
  ['guaranteedUpdate', {}, 0],
  ['guaranteedUpdate', { afterCreate: () => {} }, 1],
  ['guaranteedUpdate', { afterUpdate: () => {} }, 1],
  ['guaranteedUpdate', { decorate: (object) => object }, 1],
  ['get', {}, 0],
  ['get', { decorate: (object) => object }, 1],
])('decodes the result of %s in turns for the hooks %j: %d times', async (member, storeHooks, times) => {
  const { store, storage } = createTestStore({ definition: { storeHooks } });
  const load = vi.fn(async () => widget({ name: 'a' }));
  const stored = { object: widget({ name: 'a' }), resourceVersion: '1', wire: () => undefined, load };
  storage.create = async () => stored;
  storage.get = async () => stored;
  storage.guaranteedUpdate = async () => ({ stored, created: false });
  const calls = {
    create: () => store.create(testContext(), widget({ name: 'a' }), admitted, {}),
    get: () => store.get(testContext(), 'a', {}),
    guaranteedUpdate: () => store.update(testContext(), { name: 'a', objectInfo: updated, ...update }),
  };
  await calls[member]();
  expect(load).toHaveBeenCalledTimes(times);
});

it.each<[string, number, number]>([
  ['in steps where others get their turn', 2, 0],
  ['at once where it is small', 0, 2],
])('encodes what is written %s', async (_, inSteps, atOnce) => {
  const clock = new ManualClock();
  await using kv = createMemoryStore({ clock, compactionInterval: 0 });
  const resource = newWidgetContext({ store: kv, decoded: new DecodedObjects(2 ** 21) });
  const counted = [vi.spyOn(resource.kind.form, 'encodeSteps'), vi.spyOn(resource.kind.form, 'encode')];
  await using storage = createCacher(resource, { clock });
  await storage.ready();
  const store = newGenericStore<Widget>({ definition: storedWidgetDefinition(), storage, ...testStoreSources() });
  const context = inSteps === 0 ? testContext() : { ...testContext(), yieldToEventLoop: async () => {} };
  await store.create(context, widget({ name: 'a' }), admitted, {});
  const objectInfo = { updatedObject: async () => widget({ name: 'a', annotations: { a: 'b' } }) };
  await store.update(context, { name: 'a', objectInfo, ...update });
  expect(counted.map(({ mock }) => mock.calls.length)).toEqual([inSteps, atOnce]);
  const { object } = await store.get(context, 'a', {});
  expect(object.metadata.annotations).toEqual({ a: 'b' });
});

it('frees the managed fields of a large create while it encodes', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const clock = new ManualClock();
  await using kv = createMemoryStore({ clock, compactionInterval: 0 });
  const resource = newWidgetContext({ store: kv, decoded: new DecodedObjects(2 ** 21) });
  await using storage = createCacher(resource, { clock });
  await storage.ready();
  const store = newGenericStore<Widget>({ definition: storedWidgetDefinition(), storage, ...testStoreSources() });
  const managed = () => [
    { manager: 'm', operation: 'Update' as const, apiVersion: 'example.com/v1', fieldsV1: { 'f:spec': {} } },
  ];
  const object = widget({ name: 'a', managedFields: managed() });
  const fields = new WeakRef(object.metadata.managedFields?.[0]?.fieldsV1 ?? {});
  const left: unknown[] = [];
  const { commit } = kv;
  vi.spyOn(kv, 'commit').mockImplementation(async (request) => {
    await setImmediate();
    collect();
    left.push(fields.deref());
    return commit.call(kv, request);
  });
  const context = { ...testContext(), yieldToEventLoop: () => setImmediate() };
  await store.create(context, object, admitted, {});
  const stored = await store.get(context, 'a', {});
  expect([left, object.metadata.name, stored.object.metadata.managedFields]).toEqual([[undefined], 'a', managed()]);
});
