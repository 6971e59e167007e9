import type { KubeObject } from '@apiserver/apimachinery';
import type { UpdateRequest } from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { StorageError } from '../storage-error.js';
import { createTestStore, type TestStore } from '../testing/test-store.js';
import { testContext, type Widget, widget } from '../testing/widget.js';
import { type Change, patch, request, storeWith } from '../testing/widget-updates.js';

const admitted = async () => {};

describe('update', () => {
  it('restores immutable fields', async () => {
    const { store } = await storeWith({ name: 'a' });
    const sent = widget(
      { name: 'a', creationTimestamp: '2001-01-01T00:00:00Z', generation: 7 },
      { spec: { size: 2 }, status: { ready: true } },
    );
    const { stored, created } = await store.update(
      testContext(),
      request('a', () => sent),
    );
    expect(created).toBe(false);
    expect(stored.object).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: {
        name: 'a',
        namespace: 'ns',
        uid: 'uid-1',
        resourceVersion: '2',
        generation: 2,
        creationTimestamp: '2030-01-02T03:04:05Z',
      },
      spec: { size: 2 },
    });
  });

  it('runs its steps in upstream order', async () => {
    const steps: string[] = [];
    const { store } = await storeWith(
      { name: 'a' },
      {
        definition: {
          storeHooks: {
            beginUpdate: () => {
              steps.push('begin');
              return (success) => void steps.push(`finish ${success}`);
            },
            afterUpdate: () => void steps.push('after'),
          },
        },
        strategy: {
          prepareForUpdate: () => void steps.push('prepare'),
          validateUpdate: () => {
            steps.push('validate');
            return [];
          },
          warningsOnUpdate: () => {
            steps.push('warnings');
            return ['careful'];
          },
          canonicalize: () => void steps.push('canonicalize'),
        },
      },
    );
    steps.length = 0;
    const context = testContext();
    const validateUpdate = async () => void steps.push('admission');
    await store.update(context, { ...request('a', patch({}, { spec: { size: 2 } })), validateUpdate });
    expect(steps).toEqual([
      'begin',
      'prepare',
      'validate',
      'warnings',
      'canonicalize',
      'admission',
      'finish true',
      'after',
    ]);
    expect(context.warned).toEqual(['careful']);
  });

  it('passes the version that an unconditional update replaces to admission', async () => {
    const { store } = await storeWith({ name: 'a' });
    const validateUpdate = vi.fn(async (_object: KubeObject, _old: KubeObject) => {});
    await store.update(testContext(), { ...request('a', () => widget({ name: 'a' })), validateUpdate });
    const [object, old] = validateUpdate.mock.calls[0] ?? [];
    expect([object?.metadata.resourceVersion, old?.metadata.resourceVersion]).toEqual(['1', '1']);
    expect([object, object?.metadata, old].every(Object.isFrozen)).toBe(true);
  });

  const conflict =
    'Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again';

  it.each<[string, string, Change, { code: number; message: string }]>([
    ['a stale version', 'a', patch({ resourceVersion: '7' }), { code: 409, message: conflict }],
    [
      'a version that is no number',
      'a',
      patch({ resourceVersion: 'abc' }),
      { code: 500, message: 'strconv.ParseUint: parsing "abc": invalid syntax' },
    ],
    [
      'a version beyond 64 bits',
      'a',
      patch({ resourceVersion: '18446744073709551616' }),
      { code: 500, message: 'strconv.ParseUint: parsing "18446744073709551616": value out of range' },
    ],
    [
      'a name that does not exist',
      'b',
      () => widget({ name: 'b' }),
      { code: 404, message: 'widgets.example.com "b" not found' },
    ],
    [
      'another uid',
      'a',
      patch({ uid: 'other' }),
      {
        code: 422,
        message: 'Widget.example.com "a" is invalid: metadata.uid: Invalid value: "other": field is immutable',
      },
    ],
    [
      'another namespace',
      'a',
      patch({ namespace: 'other' }),
      {
        code: 400,
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      },
    ],
    [
      'a deletion by hand',
      'a',
      patch({ deletionTimestamp: '2001-01-01T00:00:00Z' }),
      {
        code: 422,
        message:
          'Widget.example.com "a" is invalid: metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
      },
    ],
    [
      'what the kind refuses',
      'a',
      patch({}, { spec: { size: 11 } }),
      { code: 422, message: 'Widget.example.com "a" is invalid: spec.size: Invalid value: 11: must be at most 10' },
    ],
  ])('refuses %s', async (_what, name, change, { code, message }) => {
    const { store, storage } = await storeWith({ name: 'a' });
    const refusal = await store.update(testContext(), request(name, change)).catch((error) => error);
    expect(refusal.status).toMatchObject({ code, message });
    expect(await storage.currentResourceVersion()).toBe('1');
  });

  it('requires a version where the kind does, and names the resource as the kind', async () => {
    const { store } = await storeWith({ name: 'a' }, { strategy: { allowUnconditionalUpdate: false } });
    await expect(
      store.update(
        testContext(),
        request('a', () => widget({ name: 'a' })),
      ),
    ).rejects.toThrow(
      'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
  });

  it('reports a missing object before a different uid', async () => {
    const { store } = await storeWith({ name: 'a' });
    const withUid = (name: string): UpdateRequest<Widget> => ({
      ...request(name, () => widget({ name, uid: 'other' })),
      objectInfo: { preconditions: { uid: 'other' }, updatedObject: () => widget({ name, uid: 'other' }) },
    });
    await expect(store.update(testContext(), withUid('b'))).rejects.toThrow('widgets.example.com "b" not found');
    await expect(store.update(testContext(), withUid('a'))).rejects.toThrow(
      'Precondition failed: UID in precondition: other, UID in object meta: uid-1',
    );
    await expect(store.update(testContext(), { ...withUid('b'), forceAllowCreate: true })).rejects.toThrow(
      'Precondition failed: UID in precondition: other, UID in object meta: ',
    );
  });

  it('restarts from the newer object after a concurrent write', async () => {
    const { store, storage } = await storeWith({ name: 'a' });
    storage.beforeCommit = async () => {
      storage.beforeCommit = undefined;
      await store.update(testContext(), request('a', patch({ labels: { other: 'x' } })));
    };
    const { stored } = await store.update(
      testContext(),
      request('a', (old) => patch({ labels: { ...old?.metadata.labels, mine: 'y' } })(old)),
    );
    expect(stored.object.metadata).toMatchObject({ resourceVersion: '3', labels: { other: 'x', mine: 'y' } });
  });

  it('writes nothing without changes', async () => {
    const { store, object } = await storeWith({ name: 'a' });
    const { stored } = await store.update(testContext(), request('a', patch({ generation: 5 })));
    expect(stored.object).toBe(object);
  });

  it('keeps the times of managed fields if nothing else changed', async () => {
    const managed = (time: string) => ({
      managedFields: [
        {
          manager: 'm',
          operation: 'Update' as const,
          apiVersion: 'example.com/v1',
          time,
          fieldsType: 'FieldsV1' as const,
          fieldsV1: { 'f:spec': {} },
        },
      ],
    });
    const [then, now] = ['2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z'];
    const { store } = await storeWith({ name: 'a', ...managed(then) });
    const update = async (rest: Partial<Widget>) => {
      const { stored } = await store.update(testContext(), request('a', patch(managed(now), rest)));
      return [stored.object.metadata.managedFields?.[0]?.time, stored.resourceVersion];
    };
    expect([await update({}), await update({ spec: { size: 2 } })]).toEqual([
      [then, '1'],
      [now, '2'],
    ]);
  });

  it('creates where the kind allows it or the caller insists', async () => {
    const create = request('a', () => widget({ name: 'a' }));
    const allowed = createTestStore({ strategy: { allowCreateOnUpdate: true } });
    expect(await allowed.store.update(testContext(), create)).toMatchObject({
      created: true,
      stored: { object: { metadata: { name: 'a', uid: 'uid-1', generation: 1, resourceVersion: '1' } } },
    });
    const forced = createTestStore();
    expect(await forced.store.update(testContext(), { ...create, forceAllowCreate: true })).toMatchObject({
      created: true,
    });
  });
});

describe('a dry-run update', () => {
  const dryRun = { dryRun: ['All'] };

  it('that creates returns the version that was sent', async () => {
    const { store } = createTestStore();
    const create = request('a', () => widget({ name: 'a', resourceVersion: '5' }), dryRun);
    const { stored } = await store.update(testContext(), { ...create, forceAllowCreate: true });
    expect(stored.object.metadata.resourceVersion).toBe('5');
  });

  it('returns the version it started from and stores nothing', async () => {
    const { store, object } = await storeWith({ name: 'a' });
    const { stored } = await store.update(testContext(), request('a', patch({}, { spec: { size: 2 } }), dryRun));
    expect(stored.object).toMatchObject({ metadata: { resourceVersion: '1', generation: 2 }, spec: { size: 2 } });
    expect((await store.get(testContext(), 'a', {})).object).toBe(object);
  });

  it('creates nothing where an update would create', async () => {
    const { store } = createTestStore();
    const create = request('a', () => widget({ name: 'a' }), dryRun);
    expect(await store.update(testContext(), { ...create, forceAllowCreate: true })).toMatchObject({ created: true });
    await expect(store.get(testContext(), 'a', {})).rejects.toThrow('not found');
  });

  it('is not one if the list of stages is empty', async () => {
    const { store } = await storeWith({ name: 'a' });
    const changed = patch({}, { spec: { size: 2 } });
    const { stored } = await store.update(testContext(), request('a', changed, { dryRun: [] }));
    expect(stored.resourceVersion).toBe('2');
  });

  it('finds a conflict', async () => {
    const { store } = await storeWith({ name: 'a' });
    const stale = request('a', patch({ resourceVersion: '9' }), dryRun);
    await expect(store.update(testContext(), stale)).rejects.toThrow('the object has been modified');
  });

  it('names the key of another object without the root', async () => {
    const { store } = await storeWith({ name: 'a' });
    const other: UpdateRequest<Widget> = {
      ...request('a', () => widget({ name: 'a', uid: 'other' }), dryRun),
      objectInfo: { preconditions: { uid: 'other' }, updatedObject: () => widget({ name: 'a', uid: 'other' }) },
    };
    await expect(store.update(testContext(), other)).rejects.toThrow(
      'Key: /example.com/widgets/ns/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other',
    );
  });
});

describe('an update that removes the last finalizer', () => {
  async function marked(options: Parameters<typeof createTestStore>[0] = {}): Promise<TestStore> {
    const test = await storeWith({ name: 'a', finalizers: ['example.com/x'] }, options);
    await test.store.delete(testContext(), 'a', admitted, {});
    return test;
  }
  const emptied = patch({ finalizers: [] });

  it('deletes an object whose list of finalizers is absent too', async () => {
    const { store } = await marked();
    const without: Change = (old) => {
      const { finalizers: _, ...metadata } = patch({})(old).metadata;
      return widget(metadata);
    };
    await store.update(testContext(), request('a', without));
    await expect(store.get(testContext(), 'a', {})).rejects.toThrow('not found');
  });

  it('deletes the object and returns it as updated', async () => {
    const afterDelete = vi.fn();
    const { store } = await marked({ definition: { storeHooks: { afterDelete } } });
    const { stored, created } = await store.update(testContext(), request('a', emptied));
    expect(created).toBe(false);
    expect(stored.object.metadata).toMatchObject({
      finalizers: [],
      resourceVersion: '2',
      deletionTimestamp: '2030-01-02T03:04:05Z',
    });
    expect(afterDelete).toHaveBeenCalledOnce();
    await expect(store.get(testContext(), 'a', {})).rejects.toThrow('not found');
  });

  it.each([
    [{}, {}],
    [{ dryRun: ['All'], fieldManager: 'm' }, { dryRun: ['All'] }],
  ])('passes the object and options %j of a deletion to the hook', async (options, expected) => {
    const afterDelete = vi.fn();
    const { store, storage } = await marked({ definition: { storeHooks: { afterDelete } } });
    const { object } = await storage.get('ns/a', {});
    afterDelete.mockClear();
    await store.update(testContext(), request('a', emptied, options));
    const { resourceVersion: _, ...metadata } = object.metadata;
    const gone = expect.objectContaining({ metadata: expect.objectContaining(metadata) });
    expect(afterDelete.mock.calls).toStrictEqual([[gone, expected]]);
  });

  it('keeps it while its grace period runs', async () => {
    const test = await storeWith(
      { name: 'a', finalizers: ['example.com/x'] },
      { strategy: { checkGracefulDelete: () => 30 } },
    );
    await test.store.delete(testContext(), 'a', admitted, {});
    await test.store.update(testContext(), request('a', emptied));
    expect((await test.store.get(testContext(), 'a', {})).object.metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it('accepts that another client deleted it first', async () => {
    const { store, storage } = await marked();
    let deletes = 0;
    storage.beforeCommit = async () => {
      if (deletes++ === 0) await store.update(testContext(), request('a', emptied));
    };
    const { stored } = await store.update(testContext(), request('a', emptied));
    expect(stored.object.metadata.finalizers).toEqual([]);
  });

  it('fails if the store cannot delete it', async () => {
    const afterDelete = vi.fn();
    const { store, storage } = await marked({ definition: { storeHooks: { afterDelete } } });
    const away = new StorageError('Timeout', '/registry/example.com/widgets/ns/a');
    storage.delete = () => Promise.reject(away);
    await expect(store.update(testContext(), request('a', emptied))).rejects.toMatchObject({
      status: {
        code: 500,
        reason: 'ServerTimeout',
        details: { name: 'delete', group: 'example.com', kind: 'widgets' },
        message:
          'The delete operation against widgets.example.com could not be completed at this time, please try again.',
      },
    });
    expect(afterDelete).not.toHaveBeenCalled();
  });

  it('keeps the object in a dry run, or when the kind overrides it', async () => {
    const { store } = await marked();
    await store.update(testContext(), request('a', emptied, { dryRun: ['All'] }));
    expect((await store.get(testContext(), 'a', {})).object.metadata.finalizers).toEqual(['example.com/x']);

    const keeping = await marked({ definition: { storeHooks: { shouldDeleteDuringUpdate: () => false } } });
    await keeping.store.update(testContext(), request('a', emptied));
    expect((await keeping.store.get(testContext(), 'a', {})).object.metadata.finalizers).toEqual([]);
  });

  it('never reverts a deletion', async () => {
    const { store } = await marked();
    const undo = patch({ deletionTimestamp: null, deletionGracePeriodSeconds: null });
    const { stored } = await store.update(testContext(), request('a', undo));
    expect(stored.object.metadata).toMatchObject({
      deletionTimestamp: '2030-01-02T03:04:05Z',
      deletionGracePeriodSeconds: 0,
      resourceVersion: '2',
    });
    expect((await store.get(testContext(), 'a', {})).object).toBe(stored.object);
  });
});
