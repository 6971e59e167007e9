import type { Namespace } from '@apiserver/api/core/v1';
import type { DeleteOptions } from '@apiserver/apimachinery';
import { isStatusError } from '@apiserver/apimachinery/errors';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import type { RestStorage } from '@apiserver/apiserver-contracts';
import { createStore, createSubresourceStore } from '@apiserver/registry-store';
import { createFakeStorage, testContext, testStoreSources } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it, vi } from 'vitest';
import { namespaces } from './index.js';

const admitted = async () => {};
const context = testContext({ namespace: '' });

function namespace(fields: Partial<Namespace> = {}): Namespace {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' }, spec: {}, status: {}, ...fields };
}

function stores() {
  const options = { definition: namespaces, storage: createFakeStorage<Namespace>(), ...testStoreSources<Namespace>() };
  const { status, finalize } = namespaces.subresources;
  if (status === undefined || finalize === undefined) throw new Error('subresources are missing');
  return {
    main: createStore(options) as Required<RestStorage<Namespace>>,
    status: createSubresourceStore(options, status),
    finalize: createSubresourceStore(options, finalize),
  };
}

function update(store: RestStorage<Namespace>, change: (draft: Namespace) => void) {
  return store.update?.(context, {
    name: 'n',
    objectInfo: {
      updatedObject(_context, old) {
        const draft = structuredClone(old ?? namespace());
        change(draft);
        return draft;
      },
    },
    validateCreate: admitted,
    validateUpdate: admitted,
    forceAllowCreate: false,
    options: {},
  });
}

describe('create', () => {
  it('is Active, with the finalizer kubernetes and the label of its name', async () => {
    const { main } = stores();
    const sent = namespace({ metadata: { generateName: 'g-', labels: { a: 'b' } }, status: { phase: 'Terminating' } });
    const { object } = await main.create(context, sent, admitted, {});
    expect(object).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: 'g-bbbbb',
        generateName: 'g-',
        uid: 'uid-1',
        resourceVersion: '1',
        creationTimestamp: '2030-01-02T03:04:05Z',
        labels: { a: 'b', 'kubernetes.io/metadata.name': 'g-bbbbb' },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('keeps finalizers of the client', async () => {
    const { main } = stores();
    const sent = namespace({ spec: { finalizers: ['example.com/x'] } });
    expect((await main.create(context, sent, admitted, {})).object.spec.finalizers).toEqual([
      'example.com/x',
      'kubernetes',
    ]);
  });

  it.each([
    ['N', 'metadata.name: Invalid value: "N": a lowercase RFC 1123 label must consist'],
    ['a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'],
  ])('refuses the name %j', async (name, message) => {
    const errors = namespaces.strategy.validate(context, namespace({ metadata: { name } }));
    expect(aggregateFieldErrors(errors)).toContain(message);
  });

  it('defaults the label once the name is known', () => {
    const [version] = namespaces.versions;
    const unnamed = namespace({ metadata: { generateName: 'g-' } });
    version?.applyDefaults?.(unnamed);
    const wrong = namespace({ metadata: { name: 'n', labels: { 'kubernetes.io/metadata.name': 'other' } } });
    version?.applyDefaults?.(wrong);
    expect([unnamed.metadata.labels, wrong.metadata.labels]).toEqual([
      undefined,
      { 'kubernetes.io/metadata.name': 'n' },
    ]);
  });
});

describe('update', () => {
  it('changes spec and status only at their own endpoints', async () => {
    const { main, status, finalize } = stores();
    await main.create(context, namespace(), admitted, {});
    const everything = (draft: Namespace) => {
      draft.metadata.labels = { ...draft.metadata.labels, a: 'b' };
      draft.spec.finalizers = ['kubernetes', 'example.com/hold'];
      draft.status.conditions = [{ type: 'T', status: 'True' }];
    };
    const atMain = await update(main, everything);
    expect([atMain?.stored.object.spec.finalizers, atMain?.stored.object.status.conditions]).toEqual([
      ['kubernetes'],
      undefined,
    ]);
    const atStatus = await update(status, everything);
    expect([atStatus?.stored.object.spec.finalizers, atStatus?.stored.object.status.conditions]).toEqual([
      ['kubernetes'],
      [{ type: 'T', status: 'True' }],
    ]);
    const atFinalize = await update(finalize, (draft) => {
      everything(draft);
      draft.status = {};
    });
    expect([atFinalize?.stored.object.spec.finalizers, atFinalize?.stored.object.status.conditions]).toEqual([
      ['kubernetes', 'example.com/hold'],
      [{ type: 'T', status: 'True' }],
    ]);
  });

  it.each<[string, (draft: Namespace) => void, string]>([
    [
      'status',
      (draft) => {
        draft.status.phase = 'Terminating';
      },
      'Namespace "n" is invalid: status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ],
    [
      'finalize',
      (draft) => {
        draft.spec.finalizers = ['kubernetes', 'short'];
      },
      'Namespace "n" is invalid: spec.finalizers[1]: Invalid value: "short": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ])('refuses invalid objects at %s', async (endpoint, change, message) => {
    const all = stores();
    await all.main.create(context, namespace(), admitted, {});
    await expect(update(endpoint === 'status' ? all.status : all.finalize, change)).rejects.toThrow(message);
  });
});

describe('delete', () => {
  async function existing(fields: Partial<Namespace> = {}) {
    const all = stores();
    await all.main.create(context, namespace(fields), admitted, {});
    const remove = (options: DeleteOptions = {}, validate: (object: Namespace) => Promise<void> = admitted) =>
      all.main.delete(context, 'n', validate, options);
    return { ...all, remove };
  }

  it('is marked, waits for its finalizers, and is deleted with the last one', async () => {
    const { main, finalize, remove } = await existing();
    const first = await remove();
    expect(first).toMatchObject({
      deleted: false,
      stored: { object: { metadata: { deletionTimestamp: '2030-01-02T03:04:05Z' }, status: { phase: 'Terminating' } } },
    });
    expect(first.stored.object.metadata).not.toHaveProperty('deletionGracePeriodSeconds');
    expect(await remove()).toEqual(first);
    const released = await update(finalize, (draft) => {
      draft.spec.finalizers = [];
    });
    expect(released?.stored.object.spec.finalizers).toEqual([]);
    await expect(main.get(context, 'n', {})).rejects.toThrow('namespaces "n" not found');
  });

  it('is kept by finalizers of the metadata too', async () => {
    const { main, finalize, remove } = await existing({ metadata: { name: 'n', finalizers: ['example.com/x'] } });
    await remove();
    await update(finalize, (draft) => {
      draft.spec.finalizers = [];
    });
    expect((await main.get(context, 'n', {})).object.metadata.finalizers).toEqual(['example.com/x']);
    await update(main, (draft) => {
      draft.metadata.finalizers = [];
    });
    await expect(main.get(context, 'n', {})).rejects.toThrow('not found');
  });

  it.each<[DeleteOptions, string[], string[] | undefined]>([
    [{}, [], undefined],
    [{ propagationPolicy: 'Orphan' }, [], ['orphan']],
    [{ propagationPolicy: 'Foreground' }, ['example.com/x', 'orphan'], ['example.com/x', 'foregroundDeletion']],
    [{ propagationPolicy: 'Background' }, ['orphan'], undefined],
    [{ orphanDependents: true }, ['foregroundDeletion'], ['orphan']],
    [{ orphanDependents: false }, [], ['foregroundDeletion']],
    [{}, ['orphan'], ['orphan']],
  ])('with %j and finalizers %j leaves %j', async (options, finalizers, expected) => {
    const { remove } = await existing({ metadata: { name: 'n', finalizers } });
    expect((await remove(options)).stored.object.metadata.finalizers).toEqual(expected);
  });

  it.each<[DeleteOptions, string]>([
    [
      { preconditions: { uid: 'other' } },
      'Operation cannot be fulfilled on namespaces "n": Precondition failed: UID in precondition: other, UID in object meta: uid-1',
    ],
    [
      { preconditions: { resourceVersion: '9' } },
      'Operation cannot be fulfilled on namespaces "n": Precondition failed: ResourceVersion in precondition: 9, ResourceVersion in object meta: 1',
    ],
  ])('refuses %j', async (options, message) => {
    const { remove } = await existing();
    const refusal = await remove(options).catch((error) => error);
    expect(isStatusError(refusal) && refusal.status).toMatchObject({ code: 409, message });
  });

  it('runs admission, and changes nothing in a dry run', async () => {
    const { main, remove } = await existing();
    const validate = vi.fn(async (_object: Namespace) => {});
    expect((await remove({ dryRun: ['All'] }, validate)).stored.object.status.phase).toBe('Terminating');
    expect(validate.mock.calls[0]?.[0].status.phase).toBe('Active');
    expect((await main.get(context, 'n', {})).object.status.phase).toBe('Active');
  });
});

it('shows its phase', () => {
  const shown = namespace({
    metadata: { name: 'n', creationTimestamp: '2030-01-01T00:00:00Z' },
    status: { phase: 'Active' },
  });
  expect(namespaces.columns.map((column) => column.cell(shown, rowTime('2030-01-01T05:00:00Z')))).toEqual([
    'n',
    'Active',
    '5h',
  ]);
});
