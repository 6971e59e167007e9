import type { DeleteOptions } from '@apiserver/apimachinery';
import type { StoreHooks } from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { StorageError } from '../../storage-error.js';
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
    ['foreground on the object', { finalizers: ['foregroundDeletion'] }, {}, ['foregroundDeletion']],
    [
      'foreground on the object, Orphan asked',
      { finalizers: ['foregroundDeletion'] },
      { propagationPolicy: 'Orphan' },
      ['orphan'],
    ],
    [
      'orphan and another on the object, Foreground asked',
      { finalizers: ['orphan', 'example.com/x'] },
      { propagationPolicy: 'Foreground' },
      ['example.com/x', 'foregroundDeletion'],
    ],
    [
      'orphan and another on the object, Background asked',
      { finalizers: ['orphan', 'example.com/x'] },
      { propagationPolicy: 'Background' },
      ['example.com/x'],
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
    ['Orphan', {}, ['orphan']],
    ['Orphan', { propagationPolicy: 'Background' }, undefined],
    ['Unsupported', {}, undefined],
    ['Unsupported', { propagationPolicy: 'Orphan' }, undefined],
  ] as const)('falls back on the kind: %s with %j', async (defaultGarbageCollectionPolicy, options, finalizers) => {
    const { remove } = await storeWith({ name: 'a' }, { strategy: { defaultGarbageCollectionPolicy } });
    expect((await remove(options)).stored.object.metadata.finalizers).toEqual(finalizers);
  });

  it('keeps the policy of a finalizer on the object before that of the kind', async () => {
    const strategy = { defaultGarbageCollectionPolicy: 'Orphan' as const };
    const { remove } = await storeWith({ name: 'a', finalizers: ['foregroundDeletion'] }, { strategy });
    expect((await remove()).stored.object.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  it.each([
    [true, { ready: true }],
    [false, undefined],
  ])('decorates what it returns, if it returns the object: %s', async (returnDeletedObject, status) => {
    const storeHooks = { decorate: (object: Widget) => ({ ...object, status: { ready: true } }) };
    const { remove } = await storeWith({ name: 'a' }, { definition: { returnDeletedObject, storeHooks } });
    expect((await remove()).stored.object.status).toEqual(status);
  });

  it('passes the deleted object and the options to the hook', async () => {
    const afterDelete = vi.fn();
    const { remove } = await storeWith({ name: 'a' }, { definition: { storeHooks: { afterDelete } } });
    const options = { gracePeriodSeconds: 7 };
    const { stored } = await remove(options);
    expect(afterDelete.mock.calls).toEqual([[stored.object, options]]);
  });

  it('asks admission once about an object that nothing keeps', async () => {
    const { store } = await storeWith({ name: 'a' });
    const admit = vi.fn();
    await store.delete(testContext(), 'a', admit, {});
    expect(admit).toHaveBeenCalledOnce();
  });

  it('reports that another client deleted the object first', async () => {
    const { storage, remove } = await storeWith({ name: 'a' });
    storage.beforeCommit = async () => {
      storage.beforeCommit = undefined;
      await storage.delete('ns/a', {}, admitted);
    };
    await expect(remove()).rejects.toThrow('widgets.example.com "a" not found');
  });

  it('reports the same if it was about to mark it', async () => {
    const { storage, remove } = await storeWith({ name: 'a' });
    storage.beforeCommit = async () => {
      storage.beforeCommit = undefined;
      await storage.delete('ns/a', {}, admitted);
    };
    await expect(remove({ propagationPolicy: 'Orphan' })).rejects.toThrow('widgets.example.com "a" not found');
  });

  it.each([
    ['get', {}, 'delete'],
    ['delete', {}, 'delete'],
    ['guaranteedUpdate', { propagationPolicy: 'Orphan' }, 'update'],
  ] as const)('names the operation if %s fails', async (member, options, operation) => {
    const { storage, remove } = await storeWith({ name: 'a' });
    vi.spyOn(storage, member).mockRejectedValue(new StorageError('Timeout', '/k'));
    const message = `The ${operation} operation against widgets.example.com could not`;
    await expect(remove(options)).rejects.toMatchObject({ status: { message: expect.stringContaining(message) } });
  });

  it('needs no finalizer that it removes itself', async () => {
    const { remove } = await storeWith({ name: 'a', finalizers: ['orphan'] });
    const preconditions = { resourceVersion: '1' };
    expect((await remove({ propagationPolicy: 'Background', preconditions })).deleted).toBe(true);
  });

  it.each([
    ['no mark', {}, { deletionTimestamp: '2030-01-02T03:04:05Z' }],
    ['no mark, with a generation', { generation: 3 }, { deletionTimestamp: '2030-01-02T03:04:05Z', generation: 4 }],
    [
      'a mark of earlier',
      { deletionTimestamp: '2029-01-01T00:00:00Z', generation: 3 },
      { deletionTimestamp: '2029-01-01T00:00:00Z', generation: 3 },
    ],
    [
      'a mark of later',
      { deletionTimestamp: '2031-01-01T00:00:00Z', generation: 3 },
      { deletionTimestamp: '2030-01-02T03:04:05Z', generation: 3 },
    ],
  ])('marks an object with %s', async (_, given, expected) => {
    const { store, storage } = createTestStore();
    await storage.create('ns/a', widget({ name: 'a', finalizers: ['example.com/x'], ...given }));
    const { stored } = await store.delete(testContext(), 'a', admitted, {});
    const { name: _name, finalizers: _finalizers, resourceVersion: _version, ...metadata } = stored.object.metadata;
    expect(metadata).toEqual({ ...expected, deletionGracePeriodSeconds: 0 });
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
    ['against a finalizer', { finalizers: ['orphan'] }, { propagationPolicy: 'Background' }, true],
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
    checkGracefulDelete: (_context: unknown, _object: unknown, requested?: number | bigint) => requested ?? 30,
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
    const { remove, storage } = await storeWith({ name: 'a' }, { strategy });
    const removal = vi.spyOn(storage, 'delete');
    const preconditions = { uid: 'uid-1', resourceVersion: '1' };
    expect((await remove({ gracePeriodSeconds: 0, preconditions })).deleted).toBe(true);
    expect(removal.mock.calls[0]?.[1]).toEqual({ uid: 'uid-1', resourceVersion: '2' });
  });

  it.each([
    [-5, 1],
    [7, 7],
  ])('of %j seconds takes %d', async (gracePeriodSeconds, seconds) => {
    const { remove } = await storeWith({ name: 'a' }, { strategy });
    const { stored } = await remove({ gracePeriodSeconds });
    expect(stored.object.metadata.deletionGracePeriodSeconds).toBe(seconds);
  });

  // 2^63 - 1 seconds are -1 second of nanoseconds in 64 bits.
  it.each<[number | bigint, number]>([
    [9_000_000_000, 9_000_000_000],
    [10_000_000_000, -8_446_744_073.709],
    [1_000_000_000_000, 3_875_820_019.684],
    [2n ** 63n - 1n, -1],
  ])('of %s seconds overflows as in Go', async (gracePeriodSeconds, after) => {
    const { remove } = await storeWith({ name: 'a' }, { strategy });
    const { metadata } = (await remove({ gracePeriodSeconds })).stored.object;
    expect([metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds]).toEqual([at(after), gracePeriodSeconds]);
  });

  it('shortens one that overflowed', async () => {
    const { remove } = await storeWith({ name: 'a' }, { strategy });
    await remove({ gracePeriodSeconds: 2n ** 63n - 1n });
    expect((await remove({ gracePeriodSeconds: 5 })).stored.object.metadata.deletionTimestamp).toBe(at(5));
  });

  it('increments a generation beyond 2^53, which overflows as in Go', async () => {
    const generationAfter = async (generation: bigint) => {
      const { store, storage } = createTestStore({ strategy });
      await storage.create('ns/a', widget({ name: 'a', generation }));
      return (await store.delete(testContext(), 'a', admitted, {})).stored.object.metadata.generation;
    };
    expect(await generationAfter(2n ** 53n)).toBe(2n ** 53n + 1n);
    expect(await generationAfter(2n ** 63n - 1n)).toBe(-(2n ** 63n));
  });

  it('is none if the kind says so', async () => {
    const { remove } = await storeWith({ name: 'a' }, { strategy: { checkGracefulDelete: () => undefined } });
    const { stored, deleted } = await remove();
    expect([deleted, stored.object.metadata.deletionTimestamp]).toEqual([true, undefined]);
  });

  it('counts no generation for an object without one', async () => {
    const { store, storage } = createTestStore({ strategy });
    await storage.create('ns/a', widget({ name: 'a' }));
    const { stored } = await store.delete(testContext(), 'a', admitted, {});
    expect(stored.object.metadata).toEqual({
      name: 'a',
      resourceVersion: '2',
      deletionTimestamp: at(30),
      deletionGracePeriodSeconds: 30,
    });
  });

  it('leaves no empty list of finalizers', async () => {
    const { remove } = await storeWith({ name: 'a', finalizers: ['orphan'] }, { strategy });
    const { stored } = await remove({ propagationPolicy: 'Background' });
    expect(stored.object.metadata).not.toHaveProperty('finalizers');
  });

  it('returns the mark in a dry run that would delete at once', async () => {
    const { store, remove } = await storeWith({ name: 'a' }, { strategy });
    expect(await remove({ gracePeriodSeconds: 0, dryRun: ['All'] })).toMatchObject({
      deleted: true,
      stored: { object: { metadata: { deletionTimestamp: at(0), resourceVersion: '1' } } },
    });
    expect((await store.get(testContext(), 'a', {})).object.metadata.deletionTimestamp).toBeUndefined();
  });

  it('deletes at once although another client changed the mark, if no version is a condition', async () => {
    const { storage, remove } = await storeWith({ name: 'a' }, { strategy });
    let commits = 0;
    storage.beforeCommit = async () => {
      if (++commits !== 2) return;
      await storage.guaranteedUpdate('ns/a', {}, async (current) => ({
        object: { ...widget({ ...current?.object.metadata, labels: { a: 'b' } }) },
      }));
    };
    const { stored, deleted } = await remove({ gracePeriodSeconds: 0 });
    expect([deleted, stored.object.metadata.labels]).toEqual([true, { a: 'b' }]);
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
    ['shorter and just over: as long as asked', 10, 9.322, { deletionGracePeriodSeconds: 10 }],
    ['shorter but over: now, by the least', 10, 20, { deletionTimestamp: at(20), deletionGracePeriodSeconds: 1 }],
  ])('a second delete, %s', async (_what, gracePeriodSeconds, secondsLater, expected) => {
    const { store, remove, clock } = await storeWith({ name: 'a' }, { strategy });
    await remove();
    clock.time += secondsLater * 1000;
    expect((await remove(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds })).deleted).toBe(false);
    expect((await store.get(testContext(), 'a', {})).object.metadata).toMatchObject(expected);
  });

  it('ends a deletion that is over at once', async () => {
    const { remove, clock } = await storeWith({ name: 'a' }, { strategy });
    await remove();
    clock.time += 40_000;
    const { stored, deleted } = await remove({ gracePeriodSeconds: 0 });
    expect([deleted, stored.object.metadata.deletionGracePeriodSeconds]).toEqual([true, 0]);
  });

  it('has no admission and no hook while a longer one is pending', async () => {
    const [afterDelete, admit] = [vi.fn(), vi.fn()];
    const { store, remove } = await storeWith({ name: 'a' }, { strategy, definition: { storeHooks: { afterDelete } } });
    await remove();
    await store.delete(testContext(), 'a', admit, {});
    expect([afterDelete, admit].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it.each([[{}], [{ afterDelete: vi.fn() }]])(
    'has no effect if another client has begun a shorter one: %j',
    async (storeHooks: StoreHooks<Widget>) => {
      const { store, storage, remove } = await storeWith({ name: 'a' }, { strategy, definition: { storeHooks } });
      storage.beforeCommit = async () => {
        storage.beforeCommit = undefined;
        await remove({ gracePeriodSeconds: 10 });
      };
      expect(await remove({ gracePeriodSeconds: 20 })).toMatchObject({
        deleted: false,
        stored: { object: { metadata: { resourceVersion: '1' } } },
      });
      expect((await store.get(testContext(), 'a', {})).object.metadata).toMatchObject({
        deletionTimestamp: at(10),
        deletionGracePeriodSeconds: 10,
        resourceVersion: '2',
      });
      if (storeHooks.afterDelete !== undefined) expect(storeHooks.afterDelete).toHaveBeenCalledOnce();
    },
  );

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
