import { ManualClock } from '@apiserver/apimachinery/testing';
import { observed, type TraceAttributes, type TraceSpan } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { createObjectStorage } from '../objects/object-storage.js';
import { sharedStore } from '../testing/shared-store.js';
import { create, listOptions, make, remove, setColor } from '../testing/suites/storage-suite-fixture.js';
import { newWidgetCache, newWidgetContext } from '../testing/widget-cache.js';
import { createCacher } from './cacher.js';

let clock: ManualClock;
let store: KeyValueStore;
beforeEach(() => {
  clock = new ManualClock();
  store = createMemoryStore({ clock, compactionInterval: 0 });
});
afterEach(() => store[Symbol.asyncDispose]());

/** The spans and events of a call, in order, with their attributes. */
async function traced(call: () => Promise<unknown>) {
  const lines: unknown[] = [];
  const line = (name: string, attributes: TraceAttributes = {}) =>
    void lines.push(Object.keys(attributes).length === 0 ? name : [name, attributes]);
  const spanOf = (depth: string): TraceSpan => ({
    start: (name, attributes) => {
      line(`${depth}${name}`, attributes);
      return spanOf(`${depth}  `);
    },
    addEvent: (name, attributes) => line(`${depth}- ${name}`, attributes),
    ...{ setAttributes: () => {}, fail: () => {}, end: () => {}, headers: {} },
  });
  await observed({ audit: undefined, span: spanOf(''), auditId: 'id-1' }, call);
  return lines;
}

const ids = { 'audit-id': 'id-1' };
const written = { ...ids, key: '/example.com/widgets/ns/a', group: 'example.com', resource: 'widgets' };

describe('traced writes', () => {
  it('are a span of the store with an event for each step', async () => {
    await using cache = newWidgetCache({ store, clock });
    await cache.ready();
    const created = await traced(() => create(cache, 'ns/a', { spec: { color: 'red' } }));
    const len = (await store.get('/registry/example.com/widgets/ns/a')).kv?.value.length;
    expect(created).toEqual([
      ['Create etcd3', written],
      '  - About to Encode',
      ['  - Encode succeeded', { len }],
      '  - TransformToStorage succeeded',
      '  - Txn call succeeded',
      ['  - decode succeeded', { len }],
    ]);
    const steps = ['  - initial value restored', '  - About to Encode', ['  - Encode succeeded', { len }]];
    expect(await traced(() => setColor(cache, 'ns/a', 'red'))).toEqual([['GuaranteedUpdate etcd3', written], ...steps]);
    expect(await traced(() => setColor(cache, 'ns/a', 'tan'))).toEqual([
      ['GuaranteedUpdate etcd3', written],
      ...steps,
      '  - TransformToStorage succeeded',
      '  - Transaction prepared',
      '  - Txn call completed',
      '  - Transaction committed',
      ['  - decode succeeded', { len }],
    ]);
    expect(await traced(() => remove(cache, 'ns/a'))).toEqual([]);
  });

  it('have an event for the newer state that a conflict returns', async () => {
    const storage = createObjectStorage(newWidgetContext({ store }), clock);
    await create(storage, 'ns/a');
    let attempts = 0;
    const lines = await traced(() =>
      storage.guaranteedUpdate('ns/a', {}, async () => {
        if (++attempts === 1) await setColor(storage, 'ns/a', 'red');
        return { object: make('ns/a', { spec: { color: 'blue' } }) };
      }),
    );
    const names = lines.map((line) => (typeof line === 'string' ? line.trim() : ''));
    const commit = ['- TransformToStorage succeeded', '- Transaction prepared', '- Txn call completed'];
    expect(names.filter((name) => name !== '' && name !== '- About to Encode')).toEqual([
      // The write of the other client is a part of this one.
      ...['- initial value restored', '- initial value restored', ...commit, '- Transaction committed'],
      ...[...commit, '- Transaction committed', '- Retry value restored', ...commit, '- Transaction committed'],
    ]);
    expect(attempts).toBe(2);
  });
});

describe('traced reads', () => {
  it('of a cache say whether it is fresh enough, and what it has', async () => {
    await using cache = newWidgetCache({ store, clock });
    await create(cache, 'ns/a');
    await cache.ready();
    const read = (resourceVersion: string) => traced(() => cache.get('ns/a', { resourceVersion }));
    const key = '/example.com/widgets/ns/a';
    const isFresh = '  - watchCache fresh enough';
    expect([await read('2'), await read(''), await read('0')]).toEqual([
      [['cacher.Get', { ...ids, key, 'resource-version': '2' }], isFresh],
      [['cacher.Get', { ...ids, key, 'resource-version': '' }], isFresh],
      [['cacher.Get', { ...ids, key, 'resource-version': '0' }]],
    ]);
    const type = 'widgets.example.com';
    expect(await traced(() => cache.list('ns/', listOptions({ field: 'spec.color=red' })))).toEqual([
      ['cacher.GetList', { ...ids, type }],
      ...['  - Ready', isFresh],
      ['  - Listed items from cache', { count: 1 }],
      ['  - Filtered items', { count: 0 }],
    ]);
    const watched = await traced(async () =>
      (await cache.watch('', { ...listOptions(), allowBookmarks: false })).close(),
    );
    expect(watched).toEqual([['cacher.Watch', { ...ids, type }]]);
  });

  it('of a cache say when they ask the store instead', async () => {
    await create(createObjectStorage(newWidgetContext({ store }), clock), 'ns/a');
    const key = '/example.com/widgets/ns/a';
    const span = (at: string) => ['cacher.Get', { ...ids, key, 'resource-version': at }];
    await using shared = newWidgetCache({ store: sharedStore(store, 'onRequest'), clock });
    await shared.ready();
    expect(await traced(() => shared.get('ns/a', {}))).toEqual([span(''), '  - About to Get from underlying storage']);
    expect(await traced(() => shared.get('ns/a', { resourceVersion: '0' }))).toEqual([span('0')]);
    // A cache that cannot be filled.
    const { scan: _, ...rest } = sharedStore(store, 'onRequest');
    const gate = Promise.withResolvers<never>();
    const range = () => gate.promise;
    await using empty = newWidgetCache({ store: { ...rest, range }, clock });
    const reading = traced(() => empty.get('ns/a', { resourceVersion: '2' }));
    let isDone = false;
    void reading.then(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      clock.advance(1000);
    }
    expect(await reading).toEqual([span('2'), '  - About to Get from underlying storage - cache not initialized']);
    gate.reject(new KeyValueError('Unavailable', 'the store is away'));
  });

  it('of the core group name the resource alone', async () => {
    const context = newWidgetContext({ store });
    const groupResource = { group: '', resource: 'pods' };
    await using cache = createCacher({ ...context, kind: { ...context.kind, groupResource } }, { clock });
    await cache.ready();
    const [line] = await traced(() => cache.list('', listOptions()));
    expect(line).toEqual(['cacher.GetList', { ...ids, type: 'pods' }]);
    await using none = newWidgetCache({ store, clock });
    await none.ready();
    expect((await traced(() => none.watch('', { ...listOptions(), allowBookmarks: false }))).length).toBe(1);
  });

  it('of the store count the time of decoding for an audited request', async () => {
    const storage = createObjectStorage(newWidgetContext({ store }), clock);
    for (const name of ['a', 'b']) await create(storage, `ns/${name}`);
    const spent: unknown[] = [];
    const spend = (kind: string, milliseconds: number) =>
      void spent.push([kind, milliseconds >= 0, milliseconds < 60_000]);
    const audit = { spend } as never;
    await observed({ audit, span: undefined, auditId: 'id-1' }, () => storage.list('ns/', listOptions()));
    expect(spent).toEqual([1, 2].map(() => ['decode-response-object', true, true]));
  });

  it('of the store say what is listed, and whether it may be several objects', async () => {
    const storage = createObjectStorage(newWidgetContext({ store }), clock);
    await create(storage, 'ns/a');
    const listed = { ...ids, key: '/example.com/widgets/ns/', resourceVersion: '', resourceVersionMatch: '' };
    expect(await traced(() => storage.list('ns/', listOptions()))).toEqual([
      ['List(recursive=true) etcd3', { ...listed, limit: 0, continue: '' }],
    ]);
    const exact = { resourceVersion: '2', match: 'Exact', limit: 5 } as const;
    expect(await traced(() => storage.list('ns/', listOptions({ ...exact, field: 'metadata.name=a' })))).toEqual([
      [
        'List(recursive=false) etcd3',
        { ...listed, resourceVersion: '2', resourceVersionMatch: 'Exact', limit: 5, continue: '' },
      ],
    ]);
  });
});
