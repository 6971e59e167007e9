import { ManualClock } from '@apiserver/apimachinery/testing';
import type { AnyResourceDefinition } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStorageProvider } from './create-storage-provider.js';
import { installedResource } from './installed-resource.js';
import { createMemoryStore } from './memory/create-memory-store.js';
import { ObjectCounts } from './object-counts.js';
import type { StorageProvider } from './storage-provider.js';
import { testStoreSources } from './testing/test-store.js';
import { testContext, type Widget, widget, widgetStrategy } from './testing/widget.js';
import { memoizedCodecs, storedWidgetDefinition } from './testing/widget-kind.js';

const clock = new ManualClock();
let store: ReturnType<typeof createMemoryStore>;
let counts: ObjectCounts;
let provider: StorageProvider;
beforeEach(() => {
  store = createMemoryStore({ clock, compactionInterval: 0 });
  counts = new ObjectCounts();
  provider = createStorageProvider({ store, clock, codecFor: memoizedCodecs(), counted: counts.add });
});
afterEach(async () => {
  await provider[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const admitted = async () => {};
const subresources = { status: { strategy: widgetStrategy }, paint: { strategy: widgetStrategy, verbs: ['get'] } };

function install(changes: Parameters<typeof storedWidgetDefinition>[0] = {}) {
  const definition = storedWidgetDefinition({ subresources, ...changes });
  return {
    definition,
    installed: installedResource(definition as AnyResourceDefinition, provider, testStoreSources()),
  };
}

const keys = async () => (await store.range({ start: '/', end: '0' })).kvs.map(({ key }) => key);

it('has a store for the resource, and one for each subresource over the same storage', async () => {
  const { definition, installed } = install();
  expect(installed.definition).toBe(definition);
  expect(Object.keys(installed.subresources)).toEqual(['status', 'paint']);
  const { paint } = installed.subresources;
  expect([paint?.get, paint?.update]).toEqual([expect.any(Function), undefined]);
  await installed.storage.create?.(testContext(), widget({ name: 'a' }), admitted, {});
  const read = await installed.subresources['status']?.get?.(testContext(), 'a', {});
  expect([read?.object.metadata.name, await keys()]).toEqual(['a', ['/registry/example.com/widgets/ns/a']]);
});

it('is stored as its definition says', async () => {
  const storedAs = storedWidgetDefinition({
    resource: 'others',
    keyPrefix: 'example.com/others',
    strategy: {
      ...widgetStrategy,
      prepareForCreate: (_, object: Widget) => void Object.assign(object, { spec: { color: 'stored' } }),
    },
  });
  const { installed } = install({ storedAs });
  const created = await installed.storage.create?.(testContext(), widget({ name: 'a' }), admitted, {});
  expect([await keys(), created?.object['spec']]).toEqual([['/registry/example.com/others/ns/a'], { color: 'stored' }]);
  expect([...counts].map(({ resource }) => resource)).toEqual(['others']);
});
