import type { KubeObject } from '@apiserver/apimachinery';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { describe, expect, it, vi } from 'vitest';
import { newKeyExistsError, StorageError } from '../storage-error.js';
import { createTestStore } from '../testing/test-store.js';
import { testContext, type Widget, widget } from '../testing/widget.js';
import { patch, request, storeWith } from '../testing/widget-updates.js';

describe('the steps of an update', () => {
  const later = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('awaits asynchronous preparation and admission', async () => {
    const prepareForUpdate = async (_context: unknown, object: Widget) => {
      await later();
      object.metadata.labels = { prepared: 'yes' };
    };
    const { store } = await storeWith({ name: 'a' }, { strategy: { prepareForUpdate } });
    const seen: unknown[] = [];
    const validateUpdate = async (object: KubeObject) => {
      await later();
      seen.push(object.metadata.labels);
    };
    const { stored } = await store.update(testContext(), { ...request('a', patch({})), validateUpdate });
    expect([stored.object.metadata.labels, seen]).toEqual([{ prepared: 'yes' }, [{ prepared: 'yes' }]]);
  });

  it.each([
    ['at once', (fault: FieldError) => [fault]],
    ['in several turns', async (fault: FieldError) => [fault]],
  ])('reports faults of the metadata, of the kind, and of checks %s', async (_, checks) => {
    const color = fieldInvalid(FieldPath.of('spec', 'color'), 'mauve', 'must be plain');
    const validateInTurns = vi.fn((_context: unknown, _object: Widget, old: unknown, _errors: unknown) =>
      old === undefined ? [] : checks(color),
    );
    const { store, object } = await storeWith({ name: 'a' }, { strategy: { validateInTurns } });
    validateInTurns.mockClear();
    const sent = widget({ name: 'a', uid: 'other' }, { spec: { size: 11 } });
    await expect(
      store.update(
        testContext(),
        request('a', () => sent),
      ),
    ).rejects.toThrow(
      '[metadata.uid: Invalid value: "other": field is immutable, spec.size: Invalid value: 11: must be at most 10, spec.color: Invalid value: "mauve": must be plain]',
    );
    const own = [expect.objectContaining({ detail: 'must be at most 10' })];
    expect(validateInTurns.mock.calls).toEqual([[expect.anything(), sent, object, own]]);
  });

  it('check an object after its asynchronous preparation', async () => {
    const prepareForUpdate = later;
    const { store } = await storeWith({ name: 'a' }, { strategy: { prepareForUpdate } });
    const update = store.update(testContext(), request('a', patch({}, { spec: { size: 11 } })));
    await expect(update).rejects.toMatchObject({
      status: { code: 422, message: expect.stringContaining('must be at most 10') },
    });
  });

  it('leave no member of the metadata that the stored object lacks', async () => {
    const { store, object } = await storeWith({ name: 'a' });
    expect(object.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    const { stored } = await store.update(testContext(), request('a', patch({ labels: { a: 'b' } })));
    expect(Object.keys(stored.object.metadata).toSorted()).toEqual(
      [...Object.keys(object.metadata), 'labels'].toSorted(),
    );
  });

  it('need no optional rule of a kind', async () => {
    const rules = { allowCreateOnUpdate: false, allowUnconditionalUpdate: true, validate: () => [] };
    const { store } = await storeWith(
      { name: 'a' },
      { definition: { strategy: { ...rules, validateUpdate: () => [] } } },
    );
    const context = testContext();
    const { stored } = await store.update(context, request('a', patch({}, { spec: { color: 'Red' } })));
    expect([stored.object.spec, context.warned]).toEqual([{ color: 'Red' }, []]);
  });

  it('give others a turn before each that may take long', async () => {
    const steps: string[] = [];
    const { store } = await storeWith({ name: 'a' }, { strategy: { canonicalize: () => void steps.push('checked') } });
    steps.length = 0;
    const yieldToEventLoop = async () => void steps.push('turn');
    const sent = (old: Widget | undefined) => {
      steps.push('changed');
      return patch({ labels: { a: 'b' } })(old);
    };
    const validateUpdate = () => void steps.push('admission');
    await store.update(testContext({ yieldToEventLoop }), { ...request('a', sent), validateUpdate });
    expect(steps).toEqual(['turn', 'changed', 'turn', 'turn', 'checked', 'turn', 'admission', 'turn']);
    steps.length = 0;
    const create = { ...request('b', () => widget({ name: 'b' })), forceAllowCreate: true };
    await store.update(testContext({ yieldToEventLoop }), { ...create, validateCreate: validateUpdate });
    expect(steps).toEqual(['turn', 'turn', 'turn', 'checked', 'turn', 'admission']);
  });

  it.each([
    [64 * 1024, false],
    [64 * 1024 + 1, true],
    [undefined, false],
  ])('take turns for a stored object of %s bytes: %s', async (byteLength, isLarge) => {
    const { store, storage } = await storeWith({ name: 'a' });
    const { guaranteedUpdate } = storage;
    storage.guaranteedUpdate = (key, preconditions, update) =>
      guaranteedUpdate(key, preconditions, (current) =>
        update(current && { ...current, ...(byteLength !== undefined && { byteLength }) }),
      );
    const [context, own] = [testContext(), testContext({ yieldToEventLoop: later })];
    await store.update(context, request('a', patch({})));
    await store.update(own, request('a', patch({})));
    expect([context.yieldToEventLoop !== undefined, own.yieldToEventLoop === later]).toEqual([isLarge, true]);
    let othersRan = false;
    setImmediate(() => {
      othersRan = true;
    });
    await context.yieldToEventLoop?.();
    expect(othersRan).toBe(isLarge);
  });

  it('restore what a client may leave out', async () => {
    const { store, storage } = createTestStore();
    const metadata = { name: 'a', namespace: 'ns', finalizers: ['example.com/x'] };
    const deletion = { deletionTimestamp: '2029-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
    await storage.create('ns/a', widget({ ...metadata, uid: 'u', ...deletion }));
    const { deletionTimestamp } = deletion;
    const { stored } = await store.update(
      testContext(),
      request('a', () => widget({ ...metadata, deletionTimestamp })),
    );
    expect(stored.object.metadata).toMatchObject({ ...metadata, ...deletion, uid: 'u' });
    const created = { creationTimestamp: '2001-01-01T00:00:00Z' };
    await expect(store.update(testContext(), request('a', patch(created)))).rejects.toThrow(
      'metadata.creationTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    );
  });
});

describe('the hooks of an update', () => {
  const options = { dryRun: [], fieldManager: 'm', fieldValidation: 'Strict' };

  function hooks() {
    const finish = vi.fn();
    return {
      finish,
      ttl: vi.fn(() => 0),
      beginCreate: vi.fn(() => finish),
      beginUpdate: vi.fn(() => finish),
      afterCreate: vi.fn(),
      afterUpdate: vi.fn(),
    };
  }

  it('are those of an update for an existing object', async () => {
    const { finish, ...storeHooks } = hooks();
    const { store, storage } = createTestStore({ definition: { storeHooks } });
    const old = await storage.create('ns/a', widget({ name: 'a', namespace: 'ns', uid: 'u' }));
    const context = testContext();
    const sent = widget({ name: 'a' }, { spec: { size: 2 } });
    const { stored } = await store.update(
      context,
      request('a', () => sent, options),
    );
    expect(storeHooks.beginUpdate.mock.calls).toStrictEqual([[context, sent, old.object, options]]);
    expect(storeHooks.afterUpdate.mock.calls).toStrictEqual([[stored.object, options]]);
    expect([finish.mock.calls, storeHooks.ttl.mock.calls]).toStrictEqual([[[true]], [[sent, true]]]);
    expect([storeHooks.beginCreate, storeHooks.afterCreate].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it.each([[options], [{}]])('are those of a create for a new object, with options %j', async (given) => {
    const { finish, ...storeHooks } = hooks();
    const { store } = createTestStore({ definition: { storeHooks } });
    const context = testContext();
    const sent = widget({ name: 'a', resourceVersion: '5' });
    const update = { ...request('a', () => sent, given), forceAllowCreate: true };
    const { stored } = await store.update(context, update);
    expect(stored.object.metadata.resourceVersion).toBe('1');
    expect(storeHooks.beginCreate.mock.calls).toStrictEqual([[context, sent, given]]);
    expect(storeHooks.afterCreate.mock.calls).toStrictEqual([[stored.object, given]]);
    expect([finish.mock.calls, storeHooks.ttl.mock.calls]).toStrictEqual([[[true]], [[sent, false]]]);
    expect([storeHooks.beginUpdate, storeHooks.afterUpdate].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});

describe('a failure of the store', () => {
  const away = new StorageError('Timeout', '/k');
  const message = (operation: string) =>
    `The ${operation} operation against widgets.example.com could not be completed`;

  it('names the operation', async () => {
    const { store, storage } = await storeWith({ name: 'a' });
    storage.beforeCommit = () => Promise.reject(away);
    const update = (name: string) =>
      store.update(testContext(), { ...request(name, () => widget({ name })), forceAllowCreate: true });
    await expect(update('a')).rejects.toMatchObject({
      status: { message: expect.stringContaining(message('update')) },
    });
    await expect(update('b')).rejects.toMatchObject({
      status: { message: expect.stringContaining(message('create')) },
    });
  });

  it('names that of the last attempt', async () => {
    const { store, storage } = createTestStore();
    storage.beforeCommit = async () => {
      storage.beforeCommit = () => Promise.reject(away);
      await storage.guaranteedUpdate('ns/a', {}, async () => {
        storage.beforeCommit = undefined;
        return { object: widget({ name: 'a', namespace: 'ns', uid: 'u' }) };
      });
      storage.beforeCommit = () => Promise.reject(away);
    };
    const create = { ...request('a', () => widget({ name: 'a' })), forceAllowCreate: true };
    await expect(store.update(testContext(), create)).rejects.toThrow(message('update'));
  });

  it.each([
    [{ name: 'a' }, /^widgets.example.com "a" already exists$/],
    [{ name: 'a', generateName: 'g-' }, /^widgets.example.com "a" already exists, the server was not able to generate/],
  ])('names the object of %j', async (metadata, expected) => {
    const { store, storage } = createTestStore();
    storage.beforeCommit = () => Promise.reject(newKeyExistsError('/k'));
    const create = { ...request('a', () => widget(metadata)), forceAllowCreate: true };
    await expect(store.update(testContext(), create)).rejects.toThrow(expected);
  });

  it('is not one of a missing object, and none of it hides a failed precondition', async () => {
    const { store, storage } = createTestStore();
    const wanted = request('a', () => widget({ name: 'a' }));
    const update = () =>
      store.update(testContext(), { ...wanted, objectInfo: { ...wanted.objectInfo, preconditions: { uid: 'u' } } });
    vi.spyOn(storage, 'get').mockRejectedValue(away);
    await expect(update()).rejects.toThrow('Precondition failed: UID in precondition: u');
    vi.spyOn(storage, 'get').mockRejectedValue(new StorageError('KeyNotFound', '/k'));
    await expect(update()).rejects.toThrow('widgets.example.com "a" not found');
    vi.spyOn(storage, 'guaranteedUpdate').mockRejectedValue(away);
    await expect(update()).rejects.toThrow(message('update'));
  });
});
