import * as cbor from '@apiserver/apimachinery/codec/cbor';
import { type KindSchema, type Schema, STRING, type StructSchema } from '@apiserver/apimachinery/schema';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { observed } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { noCacheMetrics } from './cacher/cache-metrics.js';
import { createStorageProvider } from './create-storage-provider.js';
import type { KeyValueStore } from './key-value-store.js';
import { createMemoryStore } from './memory/create-memory-store.js';
import { ObjectCounts } from './object-counts.js';
import { createCborForm } from './objects/forms/cbor-form.js';
import type { StoreMetrics } from './objects/store-metrics.js';
import type { StoredEntry } from './objects/stored-entry.js';
import type { StorageProviderOptions } from './storage-provider.js';
import { sharedStore } from './testing/shared-store.js';
import { create, listOptions, make, setColor } from './testing/suites/storage-suite-fixture.js';
import type { Widget } from './testing/widget.js';
import { WIDGETS } from './testing/widget-cache.js';
import { memoizedCodecs, storedWidgetDefinition, widgetKind, widgetsOfTwoVersions } from './testing/widget-kind.js';

const clock = new ManualClock();
const shared = (inner: KeyValueStore) => sharedStore(inner, 'onRequest');

/** A node of a custom resource's schema. */
function object(members: Readonly<Record<string, Schema>>): StructSchema {
  const flags = { inline: false, pointer: false, omitEmpty: false, omitZero: false, optional: true, proto: 0 };
  const fields = Object.entries(members).map(([name, schema]) => ({ name, schema, ...flags }));
  return { type: 'struct', name: '', goName: 'object', fields, protobuf: false };
}

const metadata = object(
  Object.fromEntries(['name', 'namespace', 'uid', 'resourceVersion'].map((name) => [name, STRING])),
);
const members = { apiVersion: STRING, kind: STRING, metadata, spec: object({ color: STRING }) };
const structural: KindSchema<Widget> = { ...widgetKind, semantics: 'structural', schema: object(members) };
const custom = storedWidgetDefinition({ versions: [{ version: 'v1', schema: structural }] });
const inCbor = createCborForm(custom, memoizedCodecs(), cbor);

/** A provider over a store in memory, perhaps shown as one with other writers. */
function provided(options: Partial<StorageProviderOptions> = {}, show = (inner: KeyValueStore) => inner) {
  const resources = new AsyncDisposableStack();
  const inner = resources.use(createMemoryStore({ clock, compactionInterval: 0 }));
  const store = show(inner);
  const provider = resources.use(createStorageProvider({ store, clock, codecFor: memoizedCodecs(), ...options }));
  const atRest = async () => Buffer.from((await inner.get(`${WIDGETS}ns/a`)).kv?.value ?? []);
  return { store, inner, provider, atRest, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

describe('the form of objects at rest', () => {
  const isJson = (bytes: Buffer) => bytes[0] === 0x7b;
  const isYaml = (bytes: Buffer) => bytes.toString().startsWith('apiVersion:');
  const yaml = { mediaType: 'application/yaml' } as const;

  it.each([
    ['JSON by default', {}, {}, isJson],
    ['the given one', yaml, {}, isYaml],
    ['JSON where upstream keeps JSON', yaml, { isJsonAtRest: true }, isJson],
    ['JSON although there is CBOR for custom resources', { cbor }, {}, isJson],
    ['CBOR for custom resources', { cbor }, { versions: custom.versions }, cbor.isCborObject],
    ['JSON for custom resources that may be in CBOR', { readCbor: cbor }, { versions: custom.versions }, isJson],
  ] as const)('is %s', async (_, options, changes, isRight) => {
    await using fixture = provided(options);
    const storage = fixture.provider.storageFor(storedWidgetDefinition(changes));
    await create(storage, 'ns/a', { spec: { color: 'red' } });
    expect(isRight(await fixture.atRest())).toBe(true);
    expect((await storage.get('ns/a', {})).object.spec).toEqual({ color: 'red' });
  });

  it.each([
    ['of custom resources only', custom, { readCbor: cbor }, undefined],
    ['of no built-in kind', storedWidgetDefinition(), { readCbor: cbor }, { storageErrorCode: 'Corrupt' }],
    ['of nothing by default', custom, {}, { status: { code: 500 } }],
  ] as const)('may be CBOR %s', async (_, definition, options, failure) => {
    await using fixture = provided({ ...options, uncached: () => true });
    const value = inCbor.encode(make('ns/a', { spec: { color: 'red' } }));
    await fixture.store.commit({ type: 'put', key: `${WIDGETS}ns/a`, value, expectedRevision: 0 });
    const read = fixture.provider.storageFor(definition).get('ns/a', {});
    if (failure !== undefined) await expect(read).rejects.toMatchObject(failure);
    else expect((await read).object['spec']).toEqual({ color: 'red' });
  });

  it.each([
    ['its version of storage, where other servers read it', shared, 'example.com/v2'],
    ['its hub version, where none does', (inner: KeyValueStore) => inner, 'example.com/v1'],
  ])('has %s', async (_, show, apiVersion) => {
    await using fixture = provided({}, show);
    await create(fixture.provider.storageFor(widgetsOfTwoVersions()), 'ns/a');
    expect(JSON.parse((await fixture.atRest()).toString()).apiVersion).toBe(apiVersion);
  });

  it.each([
    ['cut where another server may have kept more', shared, false],
    ['kept where none could', (inner: KeyValueStore) => inner, true],
  ])('has unknown fields of a custom resource %s', async (_, show, isKept) => {
    await using fixture = provided({ uncached: () => true }, show);
    const value = Buffer.from(JSON.stringify({ ...make('ns/a'), odd: 1 }));
    await fixture.inner.commit({ type: 'put', key: `${WIDGETS}ns/a`, value, expectedRevision: 0 });
    const read = await fixture.provider.storageFor(custom).get('ns/a', {});
    const wire = read.wire({ contentType: 'application/json', group: 'example.com', version: 'v1', kind: 'Widget' });
    expect(Buffer.from(wire ?? []).includes('odd')).toBe(isKept);
  });

  it('is that of the conversion', async () => {
    const renamed = (from: string, to: string) => (bytes: Uint8Array) =>
      Buffer.from(Buffer.from(bytes).toString().replace(from, to));
    const fromStored = (bytes: Uint8Array) => ({ bytes: renamed('stored', 'red')(bytes), stale: false });
    await using fixture = provided({ conversion: { fromStored, toStored: renamed('red', 'stored') } });
    const storage = fixture.provider.storageFor(storedWidgetDefinition());
    await create(storage, 'ns/a', { spec: { color: 'red' } });
    expect(JSON.parse((await fixture.atRest()).toString()).spec).toEqual({ color: 'stored' });
    expect((await storage.get('ns/a', {})).object.spec).toEqual({ color: 'red' });
  });
});

describe('the encryption of a resource', () => {
  it('is asked for once, by its group, its resource and its keys', async () => {
    const asked: unknown[] = [];
    const transformerFor: StorageProviderOptions['transformerFor'] = (resource) => {
      asked.push(resource);
      return {
        constant: true,
        fromStorage: (bytes) => ({ bytes: Buffer.from(bytes).subarray(2), stale: false }),
        toStorage: (bytes) => Buffer.concat([Buffer.from('x:'), bytes]),
      };
    };
    await using fixture = provided({ transformerFor });
    const storage = fixture.provider.storageFor(storedWidgetDefinition());
    await create(storage, 'ns/a', { spec: { color: 'red' } });
    await setColor(storage, 'ns/a', 'blue');
    expect(asked).toEqual([{ group: 'example.com', resource: 'widgets', keyPrefix: 'example.com/widgets' }]);
    expect((await fixture.atRest()).toString()).toMatch(/^x:\{"kind":"Widget"/);
  });
});

describe('the metadata of an entry', () => {
  it.each([
    ['is this server’s own', {}, true],
    ['is not where bytes are converted', { mediaType: 'application/yaml' }, false],
    [
      'is not with a conversion',
      {
        conversion: {
          fromStored: (bytes: Uint8Array) => ({ bytes, stale: false }),
          toStored: (bytes: Uint8Array) => bytes,
        },
      },
      false,
    ],
  ] as const)('%s', async (_, options, isOwn) => {
    for (const [show, definition, expected] of [
      [(inner: KeyValueStore) => inner, storedWidgetDefinition(), isOwn],
      [shared, storedWidgetDefinition(), false],
      [(inner: KeyValueStore) => inner, custom, false],
    ] as const) {
      await using fixture = provided(options, show);
      const created = await fixture.provider.storageFor(definition).create('ns/a', make('ns/a'));
      expect((created as StoredEntry<Widget>).metadataJson() !== undefined).toBe(expected);
    }
  });
});

describe('what a provider reports', () => {
  const counting = () => {
    const calls: string[] = [];
    const storeMetrics = ({ resource }: { resource: string }): StoreMetrics => ({
      requested: (operation) => void calls.push(`${resource} ${operation}`),
      eventReceived: () => void calls.push('event'),
      progressReceived: () => {},
      undecodable: () => void calls.push('undecodable'),
      listed: (...numbers) => void calls.push(`listed ${numbers}`),
    });
    return { calls, storeMetrics };
  };

  it.each([
    ['the requests to a store of other processes', shared, true],
    ['no requests to a store of this process', (inner: KeyValueStore) => inner, false],
  ])('are %s', async (_, show, isMeasured) => {
    const { calls, storeMetrics } = counting();
    await using fixture = provided({ storeMetrics, uncached: () => true }, show);
    const storage = fixture.provider.storageFor(storedWidgetDefinition());
    await create(storage, 'ns/a');
    await storage.list('', listOptions());
    const requests = isMeasured ? ['widgets create', 'widgets list'] : [];
    expect(calls).toEqual([...requests, 'listed 1,1,1']);
  });

  it('are the fill of a cache, and the index of a list', async () => {
    const calls: string[] = [];
    const cacheMetrics = () => ({
      ...noCacheMetrics,
      initialized: () => void calls.push('initialized'),
      listed: (index: string) => void calls.push(`listed "${index}"`),
    });
    await using fixture = provided({ cacheMetrics });
    const storage = fixture.provider.storageFor(storedWidgetDefinition({ indexedField: 'spec.color' }));
    await create(storage, 'ns/a', { spec: { color: 'red' } });
    await storage.list('', listOptions({ field: 'spec.color=red' }));
    await storage.list('', listOptions());
    expect(calls).toEqual(['initialized', 'listed "f:spec.color"', 'listed ""']);
  });

  it.each([
    ['can be checked over a store with other writers', shared, true],
    ['needs no check over one without', (inner: KeyValueStore) => inner, false],
  ])('is a cache that %s', async (_, show, isChecked) => {
    const counts = new ObjectCounts();
    await using fixture = provided({ counted: counts.add }, show);
    const storage = fixture.provider.storageFor(storedWidgetDefinition());
    await create(storage, 'ns/a');
    await storage.ready();
    const [counter] = counts;
    expect(await counter?.checkConsistency?.()).toBe(isChecked ? true : undefined);
  });

  it.each([
    ['of observed storage', true, 1],
    ['of no other', false, 0],
  ])('is the work of the store for a request, %s', async (_, isObserved, spent) => {
    const kinds: string[] = [];
    const audit = { spend: (kind: string) => void kinds.push(kind) };
    await using fixture = provided({ isObserved, uncached: () => true }, shared);
    const storage = fixture.provider.storageFor(storedWidgetDefinition());
    await create(storage, 'ns/a');
    await observed({ audit: audit as never, span: undefined, auditId: 'id' }, () => storage.get('ns/a', {}));
    expect(kinds.length).toBe(spent);
  });
});

describe('decoded objects', () => {
  it.each([
    ['are kept by default', undefined, true],
    ['are not kept without memory for them', 0, false],
  ])('%s', async (_, maxDecodedBytes, isKept) => {
    await using fixture = provided(maxDecodedBytes === undefined ? {} : { maxDecodedBytes });
    const storage = fixture.provider.storageFor(storedWidgetDefinition());
    for (const key of ['ns/a', 'ns/b']) await create(storage, key, { spec: { color: 'red' } });
    const read = async (key: string) => (await storage.get(key, {})).object;
    const first = await read('ns/a');
    await read('ns/b');
    expect((await read('ns/a')) === first).toBe(isKept);
  });

  it('may be those that other stores of the process have', async () => {
    const known = make('ns/a', { spec: { color: 'known' } });
    const asked: string[] = [];
    const decode = (key: string) => {
      asked.push(key);
      return known as never;
    };
    await using fixture = provided({ known: () => ({ decode }) });
    const storage = fixture.provider.storageFor(storedWidgetDefinition());
    await create(storage, 'ns/a', { spec: { color: 'red' } });
    expect((await storage.get('ns/a', {})).object).toBe(known);
    expect(asked).toEqual(['example.com/widgets/ns/a']);
    await setColor(storage, 'ns/a', 'blue');
  });
});
