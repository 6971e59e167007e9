import { everythingFieldSelector, everythingSelector, parseFieldSelector } from '@apiserver/apimachinery/selectors';
import type {
  GenericStore,
  RestStorage,
  StoreHooks,
  SubresourceDefinition,
  WatchEvent,
} from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { newTooLargeResourceVersionError, StorageError } from '../storage-error.js';
import { createFakeStorage } from '../testing/fake-storage.js';
import { createTestStore, testStoreSources } from '../testing/test-store.js';
import { testContext, type Widget, widget, widgetDefinition, widgetStrategy } from '../testing/widget.js';
import { widgetKind } from '../testing/widget-kind.js';
import { createStore, createSubresourceStore } from './create-store.js';

const admitted = async () => {};
const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };
const nothingBut = (fields: string) => ({ ...everything, fieldSelector: parseFieldSelector(fields) });

describe('get', () => {
  it.each<[string, string, string]>([
    ['', 'a', 'Namespace parameter required.'],
    ['ns', '', 'Name parameter required.'],
    ['ns', 'a/b', 'Name parameter invalid: "a/b": may not contain \'/\''],
    ['ns', '..', 'Name parameter invalid: "..": may not be \'..\''],
    ['ns', 'a/b%', "Name parameter invalid: \"a/b%\": may not contain '/';may not contain '%'"],
  ])('in %j of %j is a bad request', async (namespace, name, message) => {
    const { store } = createTestStore();
    const refusal = await store.get(testContext({ namespace }), name, {}).catch((error) => error);
    expect(refusal.status).toMatchObject({ code: 400, message });
  });

  it('names the requested resource', async () => {
    const { store } = createTestStore();
    const requestInfo = {
      isResourceRequest: true,
      apiGroup: 'other.io',
      resource: 'gadgets',
      path: '',
      verb: 'get',
      apiPrefix: 'apis',
      apiVersion: 'v1',
      namespace: 'ns',
      subresource: '',
      name: 'a',
      parts: [],
      fieldSelector: '',
      labelSelector: '',
    };
    await expect(store.get(testContext({ requestInfo }), 'a', {})).rejects.toThrow('gadgets.other.io "a" not found');
  });

  it('passes on the requested freshness, and nothing that was not requested', async () => {
    const { store, storage } = createTestStore();
    await store.create(testContext(), widget({ name: 'a' }), admitted, {});
    const get = vi.spyOn(storage, 'get');
    await store.get(testContext(), 'a', { resourceVersion: '0' });
    await store.get(testContext(), 'a', {});
    expect(get.mock.calls).toStrictEqual([
      ['ns/a', { resourceVersion: '0' }],
      ['ns/a', {}],
    ]);
  });
});

it.each(['9223372036854775807', '9007199254740993', '18446744073709551615', '42'])(
  'an error about version %s, which is too large, has all its digits',
  async (resourceVersion) => {
    const { store, storage } = createTestStore();
    const details = { minimum: Number(resourceVersion), current: 5, retryAfterSeconds: 1 };
    const tooLarge = newTooLargeResourceVersionError('/widgets/', details);
    vi.spyOn(storage, 'get').mockRejectedValue(tooLarge);
    vi.spyOn(storage, 'list').mockRejectedValue(tooLarge);
    const message = `Timeout: Too large resource version: ${resourceVersion}, current: 5`;
    await expect(store.get(testContext(), 'a', { resourceVersion })).rejects.toThrow(message);
    await expect(store.list(testContext(), { ...everything, resourceVersion })).rejects.toThrow(message);
  },
);

it.each(['get', 'list', 'watch'] as const)('%s names the operation if it fails', async (member) => {
  const { store, storage } = createTestStore();
  vi.spyOn(storage, member).mockRejectedValue(new StorageError('Timeout', '/k'));
  const message = `The ${member} operation against widgets.example.com could not be completed`;
  const given = { get: () => store.get(testContext(), 'a', {}), list: () => store.list(testContext(), everything) };
  const watch = () => store.watch(testContext(), everything);
  await expect({ ...given, watch }[member]()).rejects.toMatchObject({
    status: { message: expect.stringContaining(message) },
  });
});

describe('list and watch', () => {
  it.each([
    ['ns', 'metadata.namespace=other', 'ns/', 'Namespaced'],
    ['ns', '', '', 'Cluster'],
  ] as const)('in %j by %j search below %j: %s', async (namespace, fields, prefix, scope) => {
    const { store, storage } = createTestStore({ definition: { scope } });
    const list = vi.spyOn(storage, 'list');
    await store.list(testContext({ namespace }), nothingBut(fields));
    expect(list.mock.calls[0]?.[0]).toBe(prefix);
  });

  it('pass no option on that is absent, or says nothing', async () => {
    const { store, storage } = createTestStore();
    const list = vi.spyOn(storage, 'list');
    const watch = vi.spyOn(storage, 'watch');
    await store.list(testContext(), { ...everything, resourceVersionMatch: '' });
    await store.list(testContext(), { ...everything, resourceVersionMatch: 'Exact', resourceVersion: '3' });
    await store.watch(testContext(), { ...everything, timeoutSeconds: 0 });
    expect([...list.mock.calls, ...watch.mock.calls].map(([, options]) => options)).toStrictEqual([
      everything,
      { ...everything, match: 'Exact', resourceVersion: '3' },
      { ...everything, allowBookmarks: false },
    ]);
  });

  it.each([
    ['ns', '', 'ns/'],
    ['', '', ''],
    ['', 'metadata.namespace=other', 'other/'],
    ['', 'metadata.namespace!=other', ''],
    ['', 'metadata.namespace=No_Name', ''],
  ])('in %j by %j search below %j', async (namespace, fields, prefix) => {
    const { store, storage } = createTestStore();
    const list = vi.spyOn(storage, 'list');
    const watch = vi.spyOn(storage, 'watch');
    await store.list(testContext({ namespace }), nothingBut(fields));
    await store.watch(testContext({ namespace }), nothingBut(fields));
    expect([list.mock.calls[0]?.[0], watch.mock.calls[0]?.[0]]).toEqual([prefix, prefix]);
  });

  it('pass every option on', async () => {
    const { store, storage, clock } = createTestStore();
    const list = vi.spyOn(storage, 'list');
    const watch = vi.spyOn(storage, 'watch');
    const freshness = { resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' };
    await store.list(testContext(), { ...everything, ...freshness, limit: 3, continue: 'token' });
    await store.watch(testContext(), {
      ...everything,
      ...freshness,
      timeoutSeconds: 10,
      allowWatchBookmarks: true,
      sendInitialEvents: true,
    });
    const wanted = { ...everything, resourceVersion: '5', match: 'NotOlderThan' };
    expect(list.mock.calls[0]?.[1]).toEqual({ ...wanted, limit: 3, continue: 'token' });
    expect(watch.mock.calls[0]?.[1]).toEqual({
      ...wanted,
      allowBookmarks: true,
      sendInitialEvents: true,
      deadline: clock.time + 10_000,
    });
  });
});

describe('decorate', () => {
  it('changes every returned object and no stored one', async () => {
    const decorate: StoreHooks<Widget>['decorate'] = (object) => ({ ...object, status: { ready: true } });
    const { store, storage } = createTestStore({ definition: { storeHooks: { decorate } } });
    const events: WatchEvent<Widget>[] = [];
    (await store.watch(testContext(), everything)).start({ event: (event) => events.push(event), end: () => {} });
    const created = await store.create(testContext(), widget({ name: 'a' }), admitted, {});
    const got = await store.get(testContext(), 'a', {});
    const [listed] = (await store.list(testContext(), everything)).items;
    const responses = [created, got, listed, events[0]?.object];
    expect(responses.map((response) => response?.object.status)).toEqual(Array(4).fill({ ready: true }));
    expect(responses.map((response) => response?.resourceVersion)).toEqual(['1', '1', '1', '1']);
    expect((await storage.get('ns/a', {})).object.status).toBeUndefined();
  });

  it('returns the stored object itself if it changes nothing', async () => {
    const { store, storage } = createTestStore({ definition: { storeHooks: { decorate: (object) => object } } });
    await store.create(testContext(), widget({ name: 'a' }), admitted, {});
    expect(await store.get(testContext(), 'a', {})).toBe(await storage.get('ns/a', {}));
  });
});

/** The members of a storage that an installer would serve. */
function membersOf(storage: RestStorage<Widget>): readonly string[] {
  const members = ['get', 'list', 'watch', 'create', 'update', 'delete', 'deleteCollection', 'deleteCorrupt'] as const;
  return [...members, 'connecter', 'streamer'].filter((member) => Reflect.get(storage, member) !== undefined);
}

describe('createStore', () => {
  const options = (changes: Parameters<typeof widgetDefinition>[0]) => ({
    definition: widgetDefinition(changes),
    storage: createFakeStorage<Widget>(),
    ...testStoreSources<Widget>(),
  });

  it('has the verbs that the definition names, and those that the resource implements itself', async () => {
    const own = vi.fn(async () => ({ stored: await Promise.reject(new Error('own delete')), deleted: true }));
    const store = createStore(options({ verbs: ['delete', 'get'], storeHooks: { override: () => ({ delete: own }) } }));
    expect(membersOf(store)).toEqual(['get', 'delete', 'deleteCorrupt']);
    await expect(store.delete?.(testContext(), 'a', admitted, {})).rejects.toThrow('own delete');
  });

  it('keeps the verbs of its own from other resources with the same verbs', async () => {
    const own = vi.fn(async () => Promise.reject(new Error('own get')));
    const verbs = ['get'];
    const [first, second] = [{ override: () => ({ get: own }) }, {}].map((storeHooks) =>
      createStore(options({ verbs, storeHooks })),
    );
    await expect(first?.get?.(testContext(), 'a', {})).rejects.toThrow('own get');
    await expect(second?.get?.(testContext(), 'a', {})).rejects.toThrow('widgets.example.com "a" not found');
  });

  it('removes unreadable objects only where it deletes readable ones', () => {
    expect(membersOf(createStore(options({ verbs: ['get', 'list'] })))).toEqual(['get', 'list']);
  });

  it('gives a subresource its own rules, over the storage of its parent', async () => {
    const given = options({});
    const status = {
      strategy: { ...widgetStrategy, allowCreateOnUpdate: true, prepareForUpdate: () => {} },
    };
    const main = createStore(given);
    const sub = createSubresourceStore(given, status);
    expect(membersOf(sub)).toEqual(['get', 'update']);
    await main.create?.(testContext(), widget({ name: 'a' }), admitted, {});
    const update = {
      name: 'a',
      objectInfo: { updatedObject: () => widget({ name: 'a' }, { status: { ready: true } }) },
      validateCreate: admitted,
      validateUpdate: admitted,
      forceAllowCreate: true,
      options: {},
    };
    await sub.update?.(testContext(), update);
    expect((await main.get?.(testContext(), 'a', {}))?.object.status).toEqual({ ready: true });
  });

  it('has all verbs in the order of discovery, and what else a resource serves', () => {
    const connecter = { methods: ['GET'], connect: () => Promise.reject(new Error('own')) };
    const streamer = { optionsSchema: widgetKind, open: () => Promise.reject(new Error('own')) };
    const own = { connecter, streamer };
    const store = createStore(options({ storeHooks: { override: () => own } }));
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'delete', 'deleteCollection'];
    expect(membersOf(store)).toEqual([...verbs, 'deleteCorrupt', 'connecter', 'streamer']);
    expect([store.connecter, store.streamer]).toEqual([connecter, streamer]);
  });

  it('makes a subresource from the store of its parent', async () => {
    const given = options({});
    const main = createStore(given);
    await main.create?.(testContext(), widget({ name: 'a' }), admitted, {});
    const override = (generic: GenericStore<Widget>) => ({
      get: () => generic.get(testContext(), 'a', {}),
      list: (...args: Parameters<typeof generic.list>) => generic.list(...args),
    });
    const status: SubresourceDefinition<Widget> = { strategy: widgetStrategy, override };
    const sub = createSubresourceStore(given, status);
    expect(membersOf(sub)).toEqual(['get']);
    expect((await sub.get?.(testContext(), '', {}))?.object.metadata.name).toBe('a');
  });

  it('never creates by a subresource', async () => {
    const sub = createSubresourceStore(options({}), { strategy: widgetStrategy });
    const update = {
      name: 'a',
      objectInfo: { updatedObject: () => widget({ name: 'a' }) },
      validateCreate: admitted,
      validateUpdate: admitted,
      forceAllowCreate: true,
      options: {},
    };
    await expect(sub.update?.(testContext(), update)).rejects.toThrow('widgets.example.com "a" not found');
  });

  it('only has the verbs of a subresource that its definition names', () => {
    const finalize = createSubresourceStore(options({}), { strategy: widgetStrategy, verbs: ['update'] });
    expect(membersOf(finalize)).toEqual(['update']);
  });
});
