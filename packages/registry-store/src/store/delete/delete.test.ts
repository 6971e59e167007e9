import type { DeleteOptions } from '@apiserver/apimachinery';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { describe, expect, it, vi } from 'vitest';
import { createTestStore, TEST_TIME } from '../../testing/test-store.js';
import { testContext, type Widget, widget } from '../../testing/widget.js';

const admitted = async () => {};

async function storeWith(metadata: Widget['metadata'], options: Parameters<typeof createTestStore>[0] = {}) {
  const test = createTestStore(options);
  await test.store.create(testContext(), widget(metadata), admitted, {});
  return { ...test, remove: (given: DeleteOptions = {}) => test.store.delete(testContext(), 'a', admitted, given) };
}

const marked = {
  deletionTimestamp: '2030-01-02T03:04:05Z',
  deletionGracePeriodSeconds: 0,
  generation: 2,
  resourceVersion: '2',
};

describe('delete', () => {
  it('removes the object and returns it at the version of the deletion', async () => {
    const { store, remove } = await storeWith({ name: 'a' });
    expect(await remove()).toMatchObject({ deleted: true, stored: { object: { metadata: { resourceVersion: '2' } } } });
    await expect(store.get(testContext(), 'a', {})).rejects.toThrow('widgets.example.com "a" not found');
    await expect(remove()).rejects.toThrow('widgets.example.com "a" not found');
  });

  it.each<[string, Widget['metadata'], DeleteOptions, readonly string[] | undefined]>([
    ['no finalizers, no policy', {}, {}, undefined],
    ['Background', {}, { propagationPolicy: 'Background' }, undefined],
    ['Foreground', {}, { propagationPolicy: 'Foreground' }, ['foregroundDeletion']],
    ['Orphan', {}, { propagationPolicy: 'Orphan' }, ['orphan']],
    ['orphanDependents', {}, { orphanDependents: true }, ['orphan']],
    ['orphanDependents false', {}, { orphanDependents: false }, undefined],
    ['a finalizer', { finalizers: ['example.com/x'] }, {}, ['example.com/x']],
    [
      'a finalizer and Foreground',
      { finalizers: ['example.com/x'] },
      { propagationPolicy: 'Foreground' },
      ['example.com/x', 'foregroundDeletion'],
    ],
    ['orphan on the object', { finalizers: ['orphan'] }, {}, ['orphan']],
    [
      'orphan on the object, Background asked',
      { finalizers: ['orphan'] },
      { propagationPolicy: 'Background' },
      undefined,
    ],
    [
      'orphan on the object, Foreground asked',
      { finalizers: ['orphan'] },
      { propagationPolicy: 'Foreground' },
      ['foregroundDeletion'],
    ],
  ])('%s: finalizers as upstream', async (_what, metadata, options, finalizers) => {
    const { store, remove } = await storeWith({ name: 'a', ...metadata });
    const { stored, deleted } = await remove(options);
    expect(deleted).toBe(finalizers === undefined);
    if (finalizers === undefined) {
      await expect(store.get(testContext(), 'a', {})).rejects.toThrow('not found');
    } else {
      expect(stored.object.metadata).toMatchObject({ ...marked, finalizers });
    }
  });

  it.each([
    ['Orphan', ['orphan']],
    ['Unsupported', undefined],
  ] as const)('falls back on the kind: %s', async (defaultGarbageCollectionPolicy, finalizers) => {
    const { remove } = await storeWith({ name: 'a' }, { strategy: { defaultGarbageCollectionPolicy } });
    expect((await remove()).stored.object.metadata.finalizers).toEqual(finalizers);
  });

  it('leaves no finalizer without a garbage collector', async () => {
    const { remove } = await storeWith({ name: 'a' }, { enableGarbageCollection: false });
    expect((await remove({ propagationPolicy: 'Foreground' })).deleted).toBe(true);
  });

  it('marks once; a second delete has no effect', async () => {
    const { remove, clock } = await storeWith({ name: 'a', finalizers: ['example.com/x'] });
    const first = await remove();
    clock.time += 60_000;
    expect(await remove()).toEqual({ deleted: false, stored: first.stored });
  });

  it.each<[string, DeleteOptions, { code: number; message: string }]>([
    [
      'uid',
      { preconditions: { uid: 'other' } },
      {
        code: 409,
        message:
          'Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition (other) does not match the UID in record (uid-1). The object might have been deleted and then recreated',
      },
    ],
    [
      'resourceVersion',
      { preconditions: { resourceVersion: '9' } },
      {
        code: 409,
        message:
          'Operation cannot be fulfilled on Widget.example.com "a": the ResourceVersion in the precondition (9) does not match the ResourceVersion in record (1). The object might have been modified',
      },
    ],
    [
      'policy',
      { propagationPolicy: 'Background', orphanDependents: true },
      {
        code: 422,
        message:
          'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Background": orphanDependents and deletionPropagation cannot be both set',
      },
    ],
  ])('refuses a wrong %s', async (_what, options, { code, message }) => {
    const { store, remove } = await storeWith({ name: 'a' });
    expect((await remove(options).catch((error) => error)).status).toMatchObject({ code, message });
    expect((await store.get(testContext(), 'a', {})).resourceVersion).toBe('1');
  });

  it('checks the preconditions again at the commit', async () => {
    const { store, storage, remove } = await storeWith({ name: 'a' });
    storage.beforeCommit = async () => {
      storage.beforeCommit = undefined;
      const changed = { ...structuredClone((await store.get(testContext(), 'a', {})).object), spec: { size: 3 } };
      await storage.guaranteedUpdate('ns/a', {}, async () => {
        const { resourceVersion: _version, ...metadata } = changed.metadata;
        return { object: { ...changed, metadata } };
      });
    };
    const refusal = await remove({ preconditions: { resourceVersion: '1' } }).catch((error) => error);
    expect(refusal.status).toMatchObject({
      code: 409,
      message: expect.stringContaining(
        'Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: 2',
      ),
    });
  });

  it('passes the stored object to admission, and stops when it rejects', async () => {
    const { store } = await storeWith({ name: 'a' });
    const refuse = vi.fn(async (_object: Widget) => {
      throw new Error('refused');
    });
    await expect(store.delete(testContext(), 'a', refuse, {})).rejects.toThrow('refused');
    expect(refuse.mock.calls[0]?.[0].metadata.resourceVersion).toBe('1');
    expect((await store.get(testContext(), 'a', {})).resourceVersion).toBe('1');
  });

  it.each<[string, Widget['metadata'], DeleteOptions, boolean]>([
    ['at once', {}, {}, true],
    ['by a finalizer', { finalizers: ['example.com/x'] }, {}, false],
    ['by policy', {}, { propagationPolicy: 'Foreground' }, false],
  ])('dry run, %s: responds and changes nothing', async (_what, metadata, options, deleted) => {
    const { store, remove } = await storeWith({ name: 'a', ...metadata });
    const before = (await store.get(testContext(), 'a', {})).object;
    const response = await remove({ ...options, dryRun: ['All'] });
    expect(response.deleted).toBe(deleted);
    expect(response.stored.object.metadata.deletionTimestamp).toBe(deleted ? undefined : marked.deletionTimestamp);
    expect((await store.get(testContext(), 'a', {})).object).toBe(before);
  });
});

describe('graceful deletion', () => {
  const strategy = {
    checkGracefulDelete: (_context: unknown, _object: unknown, requested?: number) => requested ?? 30,
  };
  const at = (seconds: number) => new Date(TEST_TIME + seconds * 1000).toISOString().replace(/\.\d+Z/, 'Z');

  it('records the deletion time, and increments the generation', async () => {
    const { remove } = await storeWith({ name: 'a' }, { strategy });
    expect(await remove()).toMatchObject({
      deleted: false,
      stored: { object: { metadata: { deletionTimestamp: at(30), deletionGracePeriodSeconds: 30, generation: 2 } } },
    });
  });

  it('deletes at once without grace', async () => {
    const { store, remove } = await storeWith({ name: 'a' }, { strategy });
    expect((await remove({ gracePeriodSeconds: 0 })).deleted).toBe(true);
    await expect(store.get(testContext(), 'a', {})).rejects.toThrow('not found');
  });

  it('deletes at once on condition of the version before its own mark', async () => {
    const { remove } = await storeWith({ name: 'a' }, { strategy });
    expect((await remove({ gracePeriodSeconds: 0, preconditions: { resourceVersion: '1' } })).deleted).toBe(true);
  });

  it('treats a negative period as one second', async () => {
    const { remove } = await storeWith({ name: 'a' }, { strategy });
    expect((await remove({ gracePeriodSeconds: -5 })).stored.object.metadata.deletionGracePeriodSeconds).toBe(1);
  });

  it.each<[string, number | undefined, number, object]>([
    [
      'longer: nothing changes',
      60,
      0,
      { deletionTimestamp: at(30), deletionGracePeriodSeconds: 30, resourceVersion: '2' },
    ],
    [
      'as long and over: nothing changes',
      30,
      40,
      { deletionTimestamp: at(30), deletionGracePeriodSeconds: 30, resourceVersion: '2' },
    ],
    ['nothing said: nothing changes', undefined, 0, { deletionTimestamp: at(30), resourceVersion: '2' }],
    ['shorter: the end moves', 10, 0, { deletionTimestamp: at(10), deletionGracePeriodSeconds: 10 }],
    ['shorter but over: now, by the least', 10, 20, { deletionTimestamp: at(20), deletionGracePeriodSeconds: 1 }],
  ])('a second delete, %s', async (_what, gracePeriodSeconds, secondsLater, expected) => {
    const { store, remove, clock } = await storeWith({ name: 'a' }, { strategy });
    await remove();
    clock.time += secondsLater * 1000;
    expect((await remove(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds })).deleted).toBe(false);
    expect((await store.get(testContext(), 'a', {})).object.metadata).toMatchObject(expected);
  });

  it('has no effect if another client has begun a shorter one in the meantime', async () => {
    const afterDelete = vi.fn();
    const { store, storage, remove } = await storeWith(
      { name: 'a' },
      { strategy, definition: { storeHooks: { afterDelete } } },
    );
    storage.beforeCommit = async () => {
      storage.beforeCommit = undefined;
      await remove({ gracePeriodSeconds: 10 });
    };
    expect(await remove({ gracePeriodSeconds: 20 })).toMatchObject({
      deleted: false,
      stored: { object: { metadata: { resourceVersion: '1' } } },
    });
    expect((await store.get(testContext(), 'a', {})).object.metadata).toMatchObject({
      ...{ deletionTimestamp: at(10), deletionGracePeriodSeconds: 10, resourceVersion: '2' },
    });
    expect(afterDelete).toHaveBeenCalledOnce();
  });

  it('finishes a deletion whose period another client has recorded as over', async () => {
    const { store, storage, remove } = await storeWith({ name: 'a' }, { strategy });
    const { delete: removal } = storage;
    storage.delete = () => Promise.reject(new Error('the store is away'));
    await expect(remove({ gracePeriodSeconds: 0 })).rejects.toThrow('the store is away');
    storage.delete = removal;
    expect((await store.get(testContext(), 'a', {})).object.metadata.deletionGracePeriodSeconds).toBe(0);
    expect((await remove()).deleted).toBe(true);
    await expect(store.get(testContext(), 'a', {})).rejects.toThrow('not found');
  });

  it('accepts that another client saw the mark and deleted the object first', async () => {
    const afterDelete = vi.fn();
    const { storage, remove } = await storeWith(
      { name: 'a' },
      { strategy, definition: { storeHooks: { afterDelete } } },
    );
    let commits = 0;
    storage.beforeCommit = async () => {
      if (++commits === 2) await storage.delete('ns/a', {}, admitted);
    };
    expect(await remove({ gracePeriodSeconds: 0 })).toMatchObject({
      deleted: true,
      stored: { object: { metadata: { deletionGracePeriodSeconds: 0 } } },
    });
    expect(afterDelete).toHaveBeenCalledOnce();
  });
});

describe('deleteCollection', () => {
  const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

  async function three(options: Parameters<typeof createTestStore>[0] = {}) {
    const test = createTestStore(options);
    for (const name of ['a', 'b', 'c']) await test.store.create(testContext(), widget({ name }), admitted, {});
    const names = async () =>
      (await test.store.list(testContext(), everything)).items.map((i) => i.object.metadata.name);
    return { ...test, names };
  }

  it.each([1, 2, 8])('deletes all and returns them, with %d workers', async (deleteCollectionWorkers) => {
    const { store, names } = await three({ deleteCollectionWorkers });
    const list = await store.deleteCollection(testContext(), admitted, {}, everything);
    expect(list.items.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c']);
    expect(await names()).toEqual([]);
  });

  it('returns several pages with the metadata of the first', async () => {
    const { store, storage, names } = await three();
    const all = await storage.list('ns/', everything);
    const { list } = storage;
    const limits: (number | undefined)[] = [];
    storage.list = async (_prefix, options) => {
      limits.push(options.limit);
      if (options.continue === 'token') return { ...all, items: all.items.slice(2) };
      return { ...all, items: all.items.slice(0, 2), continue: 'token', remainingItemCount: 1 };
    };
    const { items, ...metadata } = await store.deleteCollection(testContext(), admitted, {}, everything);
    storage.list = list;
    expect([items, metadata, limits]).toEqual([
      all.items,
      { resourceVersion: all.resourceVersion, continue: 'token', remainingItemCount: 1 },
      [10_000, 10_000],
    ]);
    expect(await names()).toEqual([]);
  });

  it('reads no further page after an abort', async () => {
    const { store, storage } = await three();
    const { items, ...all } = await storage.list('ns/', everything);
    const client = new AbortController();
    let pages = 0;
    storage.list = async () => {
      pages++;
      return { ...all, items: items.slice(0, 1), continue: 'token' };
    };
    const leave = async () => client.abort(new Error('the client left'));
    const deletion = store.deleteCollection(testContext({ signal: client.signal }), leave, {}, everything);
    await expect(deletion).rejects.toThrow('the client left');
    expect(pages).toBe(1);
  });

  it('stops at the first rejection', async () => {
    const { store, names } = await three();
    const refuseB = async ({ metadata }: Widget) => {
      if (metadata.name === 'b') throw new Error('not b');
    };
    await expect(store.deleteCollection(testContext(), refuseB, {}, everything)).rejects.toThrow('not b');
    expect(await names()).toEqual(['b', 'c']);
  });

  it('skips objects that are concurrently deleted', async () => {
    const { store, storage, names } = await three();
    storage.beforeCommit = async () => {
      storage.beforeCommit = undefined;
      await storage.delete('ns/b', {}, admitted);
    };
    await store.deleteCollection(testContext(), admitted, {}, everything);
    expect(await names()).toEqual([]);
  });

  it('deletes nothing in a dry run, and nothing after an abort', async () => {
    const { store, names } = await three();
    await store.deleteCollection(testContext(), admitted, { dryRun: ['All'] }, everything);
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(store.deleteCollection(testContext({ signal }), admitted, {}, everything)).rejects.toThrow('gone');
    expect(await names()).toEqual(['a', 'b', 'c']);
  });
});
