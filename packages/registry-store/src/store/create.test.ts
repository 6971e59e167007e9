import type { KubeObject } from '@apiserver/apimachinery';
import { isAlreadyExists, isInvalid } from '@apiserver/apimachinery/errors';
import { FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { describe, expect, it, vi } from 'vitest';
import { StorageError } from '../storage-error.js';
import { createTestStore } from '../testing/test-store.js';
import { testContext, type Widget, widget } from '../testing/widget.js';

const admitted = async () => {};

describe('create', () => {
  it('awaits asynchronous preparation and admission', async () => {
    const later = () => new Promise<void>((resolve) => setImmediate(resolve));
    const { store } = createTestStore({
      strategy: {
        async prepareForCreate(_context: unknown, object: Widget) {
          await later();
          object.metadata.labels = { prepared: 'yes' };
        },
      },
    });
    const seen: unknown[] = [];
    const admit = async (object: KubeObject) => {
      await later();
      seen.push(object.metadata.labels);
    };
    const stored = await store.create(testContext(), widget({ name: 'a' }), admit, {});
    expect([stored.object.metadata.labels, seen]).toEqual([{ prepared: 'yes' }, [{ prepared: 'yes' }]]);
  });

  it('asks for the time to live of a new object', async () => {
    const ttl = vi.fn(() => 30);
    const { store } = createTestStore({ definition: { storeHooks: { ttl } } });
    await store.create(testContext(), widget({ name: 'a' }), admitted, {});
    expect(ttl.mock.calls).toEqual([[expect.objectContaining({ kind: 'Widget' }), false]]);
  });

  it.each(['afterCreate', 'decorate'] as const)('loads the object before the hook %s', async (hook) => {
    const steps: string[] = [];
    const hooks = {
      afterCreate: () => void steps.push('afterCreate'),
      decorate: (object: Widget) => {
        steps.push('decorate');
        return object;
      },
    };
    const { store, storage } = createTestStore({ definition: { storeHooks: { [hook]: hooks[hook] } } });
    const create = storage.create.bind(storage);
    storage.create = async (...parameters) => {
      const stored = await create(...parameters);
      const load = async () => {
        await new Promise<void>((resolve) => setImmediate(resolve));
        steps.push('loaded');
        return stored.object;
      };
      return { ...stored, load };
    };
    await store.create(testContext(), widget({ name: 'a' }), admitted, {});
    expect(steps).toEqual(['loaded', hook]);
  });

  it('treats an empty generateName as none', async () => {
    const { store } = createTestStore();
    const create = () => store.create(testContext(), widget({ name: 'a', generateName: '' }), admitted, {});
    await create();
    await expect(create()).rejects.toThrow('widgets.example.com "a" already exists');
  });

  it("fills the server's fields and stores the result of the rules", async () => {
    const { store } = createTestStore();
    const sent = widget(
      {
        name: 'a',
        uid: 'mine',
        creationTimestamp: '2001-01-01T00:00:00Z',
        generation: 77,
      },
      { spec: { size: 1, color: 'Blue' }, status: { ready: true } },
    );
    const stored = await store.create(testContext(), sent, admitted, {});
    expect(stored.object).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: {
        name: 'a',
        namespace: 'ns',
        uid: 'uid-1',
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: '2030-01-02T03:04:05Z',
      },
      spec: { size: 1, color: 'blue' },
    });
    expect((await store.get(testContext(), 'a', {})).object).toBe(stored.object);
  });

  it('runs its steps in upstream order', async () => {
    const steps: string[] = [];
    const { store } = createTestStore({
      definition: {
        storeHooks: {
          beginCreate: () => {
            steps.push('begin');
            return (success) => void steps.push(`finish ${success}`);
          },
          afterCreate: () => void steps.push('after'),
          decorate: (object) => {
            steps.push('decorate');
            return object;
          },
          ttl: () => {
            steps.push('ttl');
            return 0;
          },
        },
      },
      strategy: {
        prepareForCreate: () => void steps.push('prepare'),
        validate: () => {
          steps.push('validate');
          return [];
        },
        warningsOnCreate: () => {
          steps.push('warnings');
          return [];
        },
        canonicalize: () => void steps.push('canonicalize'),
      },
    });
    await store.create(testContext(), widget({ name: 'a' }), async () => void steps.push('admission'), {});
    expect(steps).toEqual([
      'begin',
      'prepare',
      'validate',
      'warnings',
      'canonicalize',
      'admission',
      'ttl',
      'finish true',
      'after',
      'decorate',
    ]);
  });

  it('reverts a begin hook when a later step fails', async () => {
    const finish = vi.fn();
    const { store } = createTestStore({ definition: { storeHooks: { beginCreate: () => finish } } });
    await expect(
      store.create(testContext(), widget({ name: 'a' }, { spec: { size: 11 } }), admitted, {}),
    ).rejects.toThrow('Widget.example.com "a" is invalid: spec.size: Invalid value: 11: must be at most 10');
    expect(finish.mock.calls).toEqual([[false]]);
  });

  it('passes a frozen object with its final name to admission, which may reject it', async () => {
    const { store } = createTestStore();
    let seen: KubeObject | undefined;
    const refuse = async (object: KubeObject) => {
      seen = object;
      throw new Error('refused');
    };
    const sent = widget({ generateName: 'g-' }, { spec: { size: 1 } });
    await expect(store.create(testContext(), sent, refuse, {})).rejects.toThrow('refused');
    expect(seen?.metadata.name).toBe('g-bbbbb');
    expect([seen, seen?.metadata, seen?.['spec']].every(Object.isFrozen)).toBe(true);
    await expect(store.get(testContext(), 'g-bbbbb', {})).rejects.toThrow('widgets.example.com "g-bbbbb" not found');
  });

  it('reports the faults of both kinds of validation', async () => {
    const validateInTurns = () => [fieldInvalid(FieldPath.of('spec', 'color'), 'mauve', 'must be plain')];
    const { store } = createTestStore({ strategy: { validateInTurns } });
    await expect(
      store.create(testContext(), widget({ name: 'a' }, { spec: { size: 11 } }), admitted, {}),
    ).rejects.toThrow(
      '[spec.size: Invalid value: 11: must be at most 10, spec.color: Invalid value: "mauve": must be plain]',
    );
  });

  it('gives the new object to checks that take several turns, and no old one', async () => {
    const validateInTurns = vi.fn(() => []);
    const { store } = createTestStore({ strategy: { validateInTurns } });
    await store.create(testContext(), widget({ name: 'a' }), async () => {}, {});
    const named = expect.objectContaining({ metadata: expect.objectContaining({ name: 'a' }) });
    expect(validateInTurns.mock.calls).toEqual([[expect.anything(), named, undefined, []]]);
  });

  it('reports the faults of checks that take several turns', async () => {
    const validateInTurns = async () => [fieldInvalid(FieldPath.of('spec', 'color'), 'mauve', 'must be plain')];
    const { store } = createTestStore({ strategy: { validateInTurns } });
    await expect(store.create(testContext(), widget({ name: 'a' }), admitted, {})).rejects.toThrow(
      /is invalid: spec.color: Invalid value: "mauve": must be plain$/,
    );
  });

  it('gives the hooks the object and the options', async () => {
    const [beginCreate, afterCreate, ttl] = [vi.fn(() => () => {}), vi.fn(), vi.fn(() => 0)];
    const { store } = createTestStore({ definition: { storeHooks: { beginCreate, afterCreate, ttl } } });
    const context = testContext();
    const sent = widget({ name: 'a' });
    const { object } = await store.create(context, sent, admitted, { fieldManager: 'm' });
    expect(beginCreate.mock.calls).toEqual([[context, sent, { fieldManager: 'm' }]]);
    expect(afterCreate.mock.calls).toEqual([[object, { fieldManager: 'm' }]]);
    expect(ttl.mock.calls).toEqual([[sent, false]]);
  });

  it('needs no optional rule of a kind', async () => {
    const strategy = { allowCreateOnUpdate: false, allowUnconditionalUpdate: true, validate: () => [] };
    const { store } = createTestStore({ definition: { strategy: { ...strategy, validateUpdate: () => [] } } });
    const context = testContext();
    const { object } = await store.create(context, widget({ name: 'a' }, { spec: { color: 'Red' } }), admitted, {});
    expect([object.spec, object.metadata.generation, context.warned]).toEqual([{ color: 'Red' }, undefined, []]);
  });

  it('gives others a turn before validation and warnings, and before and after admission', async () => {
    const steps: string[] = [];
    const { store } = createTestStore({ strategy: { canonicalize: () => void steps.push('checked') } });
    const yieldToEventLoop = async () => void steps.push('turn');
    const admit = () => void steps.push('admission');
    await store.create(testContext({ yieldToEventLoop }), widget({ name: 'a' }), admit, {});
    expect(steps).toEqual(['turn', 'turn', 'checked', 'turn', 'admission', 'turn']);
  });

  it('passes on the warnings of the kind', async () => {
    const { store } = createTestStore();
    const context = testContext();
    await store.create(context, widget({ name: 'a' }, { spec: { color: 'red' } }), admitted, {});
    expect(context.warned).toEqual(['spec.color: red fades']);
  });

  it.each<[string, Widget['metadata'], { status: number; message: string }]>([
    [
      'another namespace',
      { name: 'a', namespace: 'other' },
      { status: 400, message: 'the namespace of the provided object does not match the namespace sent on the request' },
    ],
    [
      'no name',
      {},
      {
        status: 422,
        message: 'Widget.example.com "" is invalid: metadata.name: Required value: name or generateName is required',
      },
    ],
    [
      'a version',
      { name: 'a', resourceVersion: '5' },
      { status: 500, message: 'resourceVersion should not be set on objects to be created' },
    ],
    [
      'a name that is no path segment',
      { name: 'a/b' },
      {
        status: 422,
        message: 'Widget.example.com "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain \'/\'',
      },
    ],
  ])('refuses %s', async (_what, metadata, { status, message }) => {
    const { store } = createTestStore();
    const refusal = await store.create(testContext(), widget(metadata), admitted, {}).catch((error) => error);
    expect(refusal).toMatchObject({ status: { message, code: status } });
  });

  it.each(['', '0', 'abc'])('treats %j as no version, as upstream', async (resourceVersion) => {
    const { store, storage } = createTestStore();
    const { create } = storage;
    storage.create = (key, object) => {
      expect(object.metadata).not.toHaveProperty('resourceVersion');
      return create(key, object);
    };
    const stored = await store.create(testContext(), widget({ name: 'a', resourceVersion }), admitted, {});
    expect(stored.object.metadata.resourceVersion).toBe('1');
  });

  it('reports that a name is taken, and whether the object is being deleted', async () => {
    const { store } = createTestStore();
    await store.create(testContext(), widget({ name: 'a', finalizers: ['example.com/x'] }), admitted, {});
    const again = () => store.create(testContext(), widget({ name: 'a' }), admitted, {});
    await expect(again()).rejects.toThrow(/^widgets.example.com "a" already exists$/);
    await store.delete(testContext(), 'a', admitted, {});
    const refusal = await again().catch((error) => error);
    expect(refusal.status.message).toBe('object is being deleted: widgets.example.com "a" already exists');
    expect(isAlreadyExists(refusal)).toBe(true);
  });

  it.each([
    [60, { ttl: 60 }],
    [0, {}],
  ])('stores for %d seconds', async (seconds, expected) => {
    const { store, storage } = createTestStore({ definition: { storeHooks: { ttl: () => seconds } } });
    const create = vi.spyOn(storage, 'create');
    await store.create(testContext(), widget({ name: 'a' }), admitted, {});
    expect(create.mock.calls[0]?.[2]).toEqual(expected);
  });

  it('reports that a name is taken even if its object is gone by then', async () => {
    const { store, storage } = createTestStore();
    await store.create(testContext(), widget({ name: 'a' }), admitted, {});
    vi.spyOn(storage, 'get').mockRejectedValue(new StorageError('KeyNotFound', '/k'));
    const again = store.create(testContext(), widget({ name: 'a' }), admitted, {});
    await expect(again).rejects.toThrow(/^widgets.example.com "a" already exists$/);
  });

  it('does not look for the cause of another failure', async () => {
    const { store, storage } = createTestStore();
    await store.create(testContext(), widget({ name: 'a', finalizers: ['example.com/x'] }), admitted, {});
    await store.delete(testContext(), 'a', admitted, {});
    const create = vi.spyOn(storage, 'create');
    const failed = () => store.create(testContext(), widget({ name: 'a' }), admitted, {});
    create.mockRejectedValue(new StorageError('Timeout', '/k'));
    await expect(failed()).rejects.toMatchObject({
      status: {
        message: expect.stringContaining('The create operation against widgets.example.com could not be completed'),
      },
    });
    create.mockRejectedValue(new TypeError('a bug'));
    await expect(failed()).rejects.toThrow(/^a bug$/);
  });

  it.each([[{ namespace: 'x' }], [{}]])('clears the namespace of a cluster-scoped object: %j', async (given) => {
    const { store } = createTestStore({ definition: { scope: 'Cluster' } });
    const stored = await store.create(testContext({ namespace: '' }), widget({ name: 'a', ...given }), admitted, {});
    expect(stored.object.metadata).not.toHaveProperty('namespace');
  });
});

describe('generateName', () => {
  it('is not used for an object with a name', async () => {
    const { store } = createTestStore();
    const create = () => store.create(testContext(), widget({ name: 'a', generateName: 'g-' }), admitted, {});
    expect((await create()).object.metadata.name).toBe('a');
    await expect(create()).rejects.toThrow('widgets.example.com "a" already exists, the server was not able');
  });

  it('makes names as the kind does', async () => {
    const { store } = createTestStore({ strategy: { generateName: (base) => `${base}own` } });
    const stored = await store.create(testContext(), widget({ generateName: 'g-' }), admitted, {});
    expect(stored.object.metadata.name).toBe('g-own');
  });

  it('tries up to eight names', async () => {
    let draws = 0;
    const { store } = createTestStore({ random: () => (draws++ < 35 ? 0 : 1) });
    await store.create(testContext(), widget({ name: 'g-bbbbb' }), admitted, {});
    const stored = await store.create(testContext(), widget({ generateName: 'g-' }), admitted, {});
    expect([stored.object.metadata.name, draws]).toEqual(['g-ccccc', 40]);
  });

  it('gives up after eight, with the conflict that names the cause', async () => {
    let draws = 0;
    const { store } = createTestStore({ random: () => 0 * draws++ });
    await store.create(testContext(), widget({ name: 'g-bbbbb' }), admitted, {});
    const refusal = await store.create(testContext(), widget({ generateName: 'g-' }), admitted, {}).catch((e) => e);
    expect(draws).toBe(40);
    expect(refusal.status).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message:
        'widgets.example.com "g-bbbbb" already exists, the server was not able to generate a unique name for the object',
      details: { name: 'g-bbbbb', group: 'example.com', kind: 'widgets', retryAfterSeconds: 1 },
    });
  });

  it('does not retry after other errors', async () => {
    let draws = 0;
    const { store } = createTestStore({ random: () => 0 * draws++ });
    const sent = widget({ generateName: 'g-' }, { spec: { size: 11 } });
    expect(isInvalid(await store.create(testContext(), sent, admitted, {}).catch((e) => e))).toBe(true);
    expect(draws).toBe(5);
  });
});

describe('a dry-run create', () => {
  const dryRun = { dryRun: ['All'] };

  it('returns the same as the create and stores nothing', async () => {
    const { store } = createTestStore();
    const admission = vi.fn(admitted);
    const created = await store.create(testContext(), widget({ name: 'a' }), admission, dryRun);
    expect(created.object.metadata).toEqual({
      name: 'a',
      namespace: 'ns',
      uid: 'uid-1',
      generation: 1,
      creationTimestamp: '2030-01-02T03:04:05Z',
    });
    expect(created.resourceVersion).toBe('');
    expect(admission).toHaveBeenCalledOnce();
    await expect(store.get(testContext(), 'a', {})).rejects.toThrow('not found');
  });

  it.each(['5', 'x'])('returns the version that was sent, which a create rejects: %s', async (sent) => {
    const { store } = createTestStore();
    const created = await store.create(testContext(), widget({ name: 'a', resourceVersion: sent }), admitted, dryRun);
    expect(created.object.metadata.resourceVersion).toBe(sent);
  });

  it('fails like the create', async () => {
    const { store } = createTestStore();
    await store.create(testContext(), widget({ name: 'a' }), admitted, {});
    await expect(store.create(testContext(), widget({ name: 'a' }), admitted, dryRun)).rejects.toThrow(
      'already exists',
    );
  });
});
