import { newNotFound, newServiceUnavailable } from '@apiserver/apimachinery/errors';
import type { AdmissionAttributes, Informer } from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { createAdmissionChain } from '../admission-chain.js';
import { testAttributes } from '../testing/attributes.js';
import { type NamespaceWithPhase, namespaceLifecycle } from './namespace-lifecycle.js';

type Phases = Readonly<Record<string, string>>;

function namespace(name: string, phase: string): NamespaceWithPhase {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase } };
}

/** A plugin whose informer has `viewed` and whose API has `live`. */
function plugin(viewed: Phases, live: Phases = viewed) {
  const clock = { time: 0, now: () => clock.time };
  const find = (phases: Phases, name: string) => {
    const phase = phases[name];
    return phase === undefined ? undefined : namespace(name, phase);
  };
  const informer: Informer<NamespaceWithPhase> = {
    synced: async () => {},
    get: (_namespace, name) => find(viewed, name),
    list: () => [],
    subscribe: () => () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const getNamespace = vi.fn(async (name: string) => {
    const found = find(live, name);
    if (found === undefined) throw newNotFound({ group: '', resource: 'namespaces' }, name);
    return found;
  });
  const lifecycle = namespaceLifecycle({ informer, getNamespace, clock });
  const admit = async (changes: Partial<AdmissionAttributes> = {}) => {
    try {
      await createAdmissionChain([lifecycle]).admit(testAttributes(changes));
      return 'admitted';
    } catch (error) {
      return (error as { status: unknown }).status;
    }
  };
  return { lifecycle, informer, getNamespace, clock, admit };
}

const aNamespace = (operation: AdmissionAttributes['operation'], name: string): Partial<AdmissionAttributes> => ({
  operation,
  kind: { group: '', version: 'v1', kind: 'Namespace' },
  resource: { group: '', version: 'v1', resource: 'namespaces' },
  namespace: name,
  name,
});

describe('a namespaced object', () => {
  it.each(['CREATE', 'UPDATE', 'DELETE'] as const)('%s is admitted in an active namespace', async (operation) => {
    expect(await plugin({ ns: 'Active' }).admit({ operation })).toBe('admitted');
  });

  it.each(['CREATE', 'UPDATE'] as const)('%s is refused without the namespace', async (operation) => {
    expect(await plugin({}).admit({ operation })).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'namespaces "ns" not found',
      reason: 'NotFound',
      details: { name: 'ns', kind: 'namespaces' },
      code: 404,
    });
  });

  it('is not created in a terminating namespace', async () => {
    expect(await plugin({ ns: 'Terminating' }).admit({ name: 'late' })).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'configmaps "late" is forbidden: unable to create new content in namespace ns because it is being terminated',
      reason: 'Forbidden',
      details: {
        name: 'late',
        kind: 'configmaps',
        causes: [
          { reason: 'NamespaceTerminating', message: 'namespace ns is being terminated', field: 'metadata.namespace' },
        ],
      },
      code: 403,
    });
  });

  it.each([
    [{ generateName: 'g-' }, 'g-'],
    [{}, 'Unknown'],
  ])('is named by its name or generateName: %j', async (metadata, name) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    expect(await plugin({ ns: 'Terminating' }).admit({ name: '', object })).toMatchObject({ details: { name } });
  });

  it.each(['UPDATE', 'DELETE'] as const)('%s is admitted in a terminating namespace', async (operation) => {
    expect(await plugin({ ns: 'Terminating' }).admit({ operation })).toBe('admitted');
  });

  it('causes a live lookup if the informer lacks its namespace', async () => {
    const { admit, getNamespace } = plugin({}, { ns: 'Active' });
    expect(await admit()).toBe('admitted');
    expect(getNamespace.mock.calls).toEqual([['ns']]);
  });

  it('may be deleted without the namespace', async () => {
    expect(await plugin({}).admit({ operation: 'DELETE' })).toBe('admitted');
  });

  it('is not checked if it is cluster-scoped or an access review', async () => {
    const { admit, getNamespace } = plugin({});
    expect(await admit({ namespace: '' })).toBe('admitted');
    const resource = { group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews' };
    expect(await admit({ resource })).toBe('admitted');
    expect(getNamespace).not.toHaveBeenCalled();
  });

  it('is refused with the error of the live lookup', async () => {
    const { admit, getNamespace } = plugin({});
    getNamespace.mockRejectedValue(newServiceUnavailable('store is gone'));
    expect(await admit()).toMatchObject({ code: 500, message: 'Internal error occurred: store is gone' });
  });

  it('is refused while the informer has not synced', async () => {
    const { admit, informer } = plugin({ ns: 'Active' });
    informer.synced = () => Promise.reject(new Error('timed out'));
    expect(await admit()).toMatchObject({
      code: 403,
      message: 'configmaps "a" is forbidden: not yet ready to handle request',
    });
  });
});

describe('namespaces', () => {
  it.each(['default', 'kube-system', 'kube-public'])('%s is immortal', async (name) => {
    expect(await plugin({}).admit(aNamespace('DELETE', name))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    });
  });

  it('may otherwise be deleted, created and changed', async () => {
    const { admit } = plugin({});
    expect(await admit(aNamespace('DELETE', 'kube-node-lease'))).toBe('admitted');
    expect(await admit(aNamespace('CREATE', 'default'))).toBe('admitted');
    expect(await admit(aNamespace('UPDATE', 'default'))).toBe('admitted');
  });

  it('are looked up live for 30 s after a request to delete one', async () => {
    const { admit, clock, getNamespace } = plugin({ ns: 'Active' }, { ns: 'Terminating' });
    expect(await admit()).toBe('admitted');
    await admit(aNamespace('DELETE', 'ns'));
    clock.time += 29_999;
    expect(await admit()).toMatchObject({ code: 403 });
    clock.time += 1;
    expect(await admit()).toBe('admitted');
    expect(getNamespace).toHaveBeenCalledOnce();
  });

  it('are looked up live no longer because the clock was set back', async () => {
    const { admit, clock } = plugin({ ns: 'Active' }, { ns: 'Terminating' });
    await admit(aNamespace('DELETE', 'ns'));
    clock.time -= 3_600_000;
    expect(await admit()).toBe('admitted');
  });

  it('leave the set of deleted namespaces one by one when very many are deleted', async () => {
    const { admit, getNamespace } = plugin({ ns: 'Active' });
    await admit(aNamespace('DELETE', 'ns'));
    for (let i = 0; i < 100; i++) await admit(aNamespace('DELETE', `other-${i}`));
    await admit();
    expect(getNamespace).not.toHaveBeenCalled();
  });
});

it.each([
  ['namespaced objects', testAttributes(), ['CREATE', 'UPDATE']],
  ['namespaces', testAttributes(aNamespace('CREATE', 'a')), ['DELETE']],
  ['nothing else', testAttributes({ namespace: '' }), []],
])('handles %s', (_what, { scope }, expected) => {
  const { lifecycle } = plugin({});
  const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const;
  expect(operations.filter((operation) => lifecycle.handles(operation, scope))).toEqual(expected);
});
