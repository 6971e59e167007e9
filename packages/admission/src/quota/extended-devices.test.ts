import type { Pod } from '@apiserver/api/core/v1';
import type { DeviceClass, ResourceClaim } from '@apiserver/api/resource/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { container, pod } from '../testing/sample-objects.js';
import { printAmounts } from './amounts.js';
import { QuotaEvaluators } from './quota-evaluators.js';

const GPU = 'example.com/gpu';
const IMPLICIT = 'deviceclass.resource.kubernetes.io/gpu';
const CLAIMS = { group: 'resource.k8s.io', resource: 'resourceclaims' };
const CLASSES = [
  { metadata: { name: 'gpu' }, spec: { extendedResourceName: GPU } },
  { metadata: { name: 'tpu' }, spec: {} },
] as DeviceClass[];

/** The evaluator of claims, beside these pods and other claims. */
function evaluator(pods: readonly Pod[] = [], resourceclaims: readonly ResourceClaim[] = [], isEnabled = true) {
  const objects = { deviceclasses: CLASSES, pods, resourceclaims } as unknown as Record<string, KubeObject[]>;
  const { informer } = testPluginDependencies(objects);
  const view = <T extends KubeObject>(resource: string) => informer<T>({ group: '', version: 'v1', resource });
  const views = {
    classes: view<DeviceClass>('deviceclasses'),
    claims: view<ResourceClaim>('resourceclaims'),
    pods: view<Pod>('pods'),
  };
  const features = { enabled: (name: string) => isEnabled || name !== 'DRAExtendedResource' };
  return new QuotaEvaluators({ now: () => 0 }, features, views).of(CLAIMS);
}

/** A claim for as many devices of the class, which the scheduler has made for the pod p. */
function claim(count: number, metadata: ResourceClaim['metadata'] = {}, deviceClassName = 'gpu'): ResourceClaim {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true };
  const exactly = { deviceClassName, allocationMode: 'ExactCount', count };
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      ...{ name: 'c', namespace: 'ns', creationTimestamp: '2030-01-01T00:00:01Z', ownerReferences: [owner] },
      annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
      ...metadata,
    },
    spec: { devices: { requests: [{ name: 'r', exactly }] } },
  } as unknown as ResourceClaim;
}

const requesting = (requests: Record<string, string>) => container({ resources: { requests } });

/** The pod p, which requests one device by each name. */
function owner(
  changes: Partial<Pod['spec']> = {},
  status: Pod['status'] = { extendedResourceClaimStatus: names('c') },
) {
  const made = pod({ containers: [requesting({ [GPU]: '1', [IMPLICIT]: '1' })], ...changes }, { uid: 'u' });
  return { ...made, status } as Pod;
}

function names(resourceClaimName: string) {
  return { resourceClaimName, requestMappings: [] };
}

describe('extended resources', () => {
  const usage = (count: number, explicit: number, implicit: number) =>
    [
      'count/resourceclaims.resource.k8s.io=1',
      `gpu.deviceclass.resource.k8s.io/devices=${count}`,
      ...(implicit > 0 ? [`requests.${IMPLICIT}=${implicit}`] : []),
      ...(explicit > 0 ? [`requests.${GPU}=${explicit}`] : []),
    ].join(',');
  const twice = [requesting({ [GPU]: '1', [IMPLICIT]: '1' }), requesting({ [GPU]: '1', [IMPLICIT]: '1' })];
  const nameless = owner({}, {});

  it.each<[string, ResourceClaim, readonly Pod[], string]>([
    ['both of a class', claim(3, { annotations: {} }), [owner()], usage(3, 3, 3)],
    ['without those of the pod', claim(2), [owner()], usage(2, 1, 1)],
    ['none beyond those of the pod', claim(1), [owner()], usage(1, 0, 0)],
    ['the other name', claim(1), [owner({ containers: [requesting({ [GPU]: '1' })] })], usage(1, 0, 1)],
    ['the other name', claim(1), [owner({ containers: [requesting({ [IMPLICIT]: '1' })] })], usage(1, 1, 0)],
    ['without the most of init containers', claim(2), [owner({ initContainers: twice })], usage(2, 1, 1)],
    ['all without the pod', claim(2), [], usage(2, 2, 2)],
    ['all for another pod', claim(2), [{ ...owner(), metadata: { ...owner().metadata, uid: 'w' } }], usage(2, 2, 2)],
    [
      'all beside the claim of the pod',
      claim(2),
      [owner({}, { extendedResourceClaimStatus: names('d') })],
      usage(2, 2, 2),
    ],
    ['all for a pod that has ended', claim(2), [{ ...owner(), status: { phase: 'Failed' } } as Pod], usage(2, 2, 2)],
    ['without those of a pod without status', claim(2), [nameless], usage(2, 1, 1)],
    ['all without an owner', claim(2, { ownerReferences: [] }), [owner()], usage(2, 2, 2)],
  ])('count %s', (_what, object, pods, expected) => {
    expect(printAmounts(evaluator(pods).usage(object))).toBe(expected);
  });

  it.each<[string, ResourceClaim['metadata'], number]>([
    ['itself', {}, 1],
    ['an earlier one', { name: 'd', creationTimestamp: '2030-01-01T00:00:00Z' }, 2],
    ['a later one', { name: 'a', creationTimestamp: '2030-01-01T00:00:02Z' }, 1],
    ['one with an earlier name', { name: 'a' }, 2],
    ['one with a later name', { name: 'd' }, 1],
    ['one that the scheduler has not made', { name: 'a', annotations: {} }, 1],
    ['one for no pod', { name: 'a', ownerReferences: [] }, 1],
    ['one of another namespace', { name: 'a', namespace: 'other' }, 1],
  ])('count for a claim beside %s', (_what, metadata, expected) => {
    expect(printAmounts(evaluator([nameless], [claim(2, metadata)]).usage(claim(2)))).toBe(
      usage(2, expected, expected),
    );
  });

  it('have the name of the class alone, or none while the gate is off', () => {
    const count = 'count/resourceclaims.resource.k8s.io=1,tpu.deviceclass.resource.k8s.io/devices=1';
    const tpu = claim(1, {}, 'tpu');
    expect([evaluator().usage(tpu), evaluator([], [], false).usage(tpu)].map(printAmounts)).toEqual([
      'count/resourceclaims.resource.k8s.io=1,requests.deviceclass.resource.kubernetes.io/tpu=1,tpu.deviceclass.resource.k8s.io/devices=1',
      count,
    ]);
  });

  it('count for quotas that limit those of a class', () => {
    const counted = [`requests.${GPU}`, `requests.${IMPLICIT}`, 'requests.deviceclass.resource.kubernetes.io/tpu'];
    const others = ['requests.example.com/nic', 'requests.deviceclass.resource.kubernetes.io/nic', GPU, 'requests.cpu'];
    const all = [...counted, ...others];
    expect([all.filter(evaluator().counts), all.filter(evaluator([], [], false).counts)]).toEqual([counted, []]);
  });

  it('are found without a search for each claim or name, until a class or claim changes', () => {
    const lists: string[] = [];
    const [classes, claims] = [changingView(CLASSES, lists), changingView([claim(2, { name: 'd' })], lists)];
    const pods = { get: () => nameless };
    const count = new QuotaEvaluators({ now: () => 0 }, { enabled: () => true }, { classes, claims, pods }).of(CLAIMS);
    const ask = () => [count.counts(`requests.${GPU}`), printAmounts(count.usage(claim(2)))];
    const first = [ask(), ask()];
    claims.add(claim(2, { name: 'a' }));
    classes.remove('gpu');
    const implicit = usage(2, 0, 2);
    expect({ first, changed: [ask(), ask()], lists }).toEqual({
      first: [
        [true, usage(2, 1, 1)],
        [true, usage(2, 1, 1)],
      ],
      changed: [
        [false, implicit],
        [false, implicit],
      ],
      lists: ['2 of ', '1 of ns', '1 of ', '2 of ns'],
    });
  });
});

/** A view that tells its subscribers of changes, and notes each list. */
function changingView<T extends KubeObject>(initial: readonly T[], lists: string[]) {
  const objects = new Map(initial.map((object) => [object.metadata.name, object]));
  const subscribers: Parameters<Informer<T>['subscribe']>[0][] = [];
  return {
    get: (_namespace: string, name: string) => objects.get(name),
    list: (namespace: string) => {
      lists.push(`${objects.size} of ${namespace}`);
      return [...objects.values()];
    },
    subscribe: (handlers: Parameters<Informer<T>['subscribe']>[0]) => {
      subscribers.push(handlers);
      return () => {};
    },
    add(object: T) {
      objects.set(object.metadata.name, object);
      for (const { added } of subscribers) added?.(object);
    },
    remove(name: string) {
      const object = objects.get(name);
      objects.delete(name);
      for (const { deleted } of subscribers) if (object !== undefined) deleted?.(object);
    },
  };
}
