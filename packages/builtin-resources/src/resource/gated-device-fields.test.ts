import type { ResourceClaim } from '@apiserver/api/resource/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { systemClock } from '@apiserver/apimachinery/clock';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { testFeatures } from '../testing/group-dependencies.js';
import { deviceClassStrategy } from './device-class/strategy.js';
import { resourceClaimStatusStrategy, resourceClaimStrategy } from './resource-claim/strategy.js';
import { resourceClaimTemplateStrategy } from './resource-claim-template/strategy.js';
import { resourceSlices } from './resource-slice/index.js';

const context = testContext({ namespace: 'ns' });
const ofKind = { apiVersion: 'resource.k8s.io/v1', kind: 'K', metadata: { name: 'o', namespace: 'ns' } };
const exactly = { deviceClassName: 'c', allocationMode: 'All' };
const tolerations = [{ key: 'k', operator: 'Exists' }];
const capacity = { requests: { memory: '1' } };

const requesting = (more: object, sub: object) => ({
  requests: [
    { name: 'r', exactly: { ...exactly, ...more } },
    { name: 's', firstAvailable: [{ name: 'a', deviceClassName: 'c', allocationMode: 'All', ...sub }] },
  ],
});
const result = (more: object) => ({
  allocation: { devices: { results: [{ request: 'r', driver: 'd', pool: 'p', device: 'x', ...more }], config: [] } },
});

type Draft = { -readonly [K in keyof KubeObject]: KubeObject[K] };

/** A place of fields: how an object with them is made, and by which strategy it is written. */
const PLACES = {
  claim: [(devices: object) => ({ ...ofKind, spec: { devices }, status: {} }), resourceClaimStrategy],
  template: [(devices: object) => ({ ...ofKind, spec: { spec: { devices } } }), resourceClaimTemplateStrategy],
  status: [
    (status: object) => ({ ...ofKind, spec: { devices: {} }, status }),
    (features: FeatureGates) => resourceClaimStatusStrategy(resourceClaimStrategy(features), features),
  ],
  slice: [
    (spec: object) => ({ ...ofKind, spec: { driver: 'd', pool: { name: 'p' }, ...spec } }),
    (features: FeatureGates) => resourceSlices(systemClock, features).strategy,
  ],
  class: [(spec: object) => ({ ...ofKind, spec }), deviceClassStrategy],
} as const;

const device = (more: object) => ({ devices: [{ name: 'x', ...more }] });

const CLAIM_FIELDS: readonly (readonly [gate: string, fields: object, traces: readonly string[]])[] = [
  ['DRAPrioritizedList', requesting({}, {}), ['firstAvailable']],
  ['DRADeviceTaints', requesting({ tolerations }, {}), ['tolerations']],
  ['DRADeviceTaints', requesting({}, { tolerations }), ['tolerations']],
  ['DRAConsumableCapacity', requesting({ capacity }, {}), ['capacity']],
  ['DRAConsumableCapacity', requesting({}, { capacity }), ['capacity']],
  ['DRAConsumableCapacity', { constraints: [{ distinctAttribute: 'd.example.com/a' }] }, ['distinctAttribute']],
];

const FIELDS: readonly (readonly [keyof typeof PLACES, string, object, readonly string[]])[] = [
  ...CLAIM_FIELDS.map((row) => ['claim', ...row] as const),
  ...CLAIM_FIELDS.map((row) => ['template', ...row] as const),
  [
    'status',
    'DRAResourceClaimDeviceStatus',
    { devices: [{ driver: 'd', pool: 'p', device: 'x' }] },
    ['status":{"devices'],
  ],
  ['status', 'DRAConsumableCapacity', result({ shareID: 'i' }), ['shareID']],
  ['status', 'DRAConsumableCapacity', result({ consumedCapacity: { a: '1' } }), ['consumedCapacity']],
  [
    'status',
    'DRAConsumableCapacity',
    { devices: [{ driver: 'd', pool: 'p', device: 'x', shareID: 'i' }] },
    ['shareID'],
  ],
  [
    'status',
    'DRADeviceBindingConditions',
    result({ bindingConditions: ['a'], bindingFailureConditions: ['b'] }),
    ['bindingConditions', 'bindingFailureConditions'],
  ],
  ['slice', 'DRADeviceTaints', device({ taints: [{ key: 'k', effect: 'None' }] }), ['taints']],
  ['slice', 'DRAPartitionableDevices', { sharedCounters: [{ name: 'c', counters: {} }] }, ['sharedCounters']],
  ['slice', 'DRAPartitionableDevices', { perDeviceNodeSelection: false }, ['perDeviceNodeSelection']],
  ['slice', 'DRAPartitionableDevices', device({ consumesCounters: [{ counterSet: 'c' }] }), ['consumesCounters']],
  ['slice', 'DRAPartitionableDevices', device({ nodeName: 'n' }), ['nodeName']],
  ['slice', 'DRAPartitionableDevices', device({ nodeSelector: { nodeSelectorTerms: [] } }), ['nodeSelector']],
  ['slice', 'DRAPartitionableDevices', device({ allNodes: true }), ['allNodes']],
  [
    'slice',
    'DRADeviceBindingConditions',
    device({ bindsToNode: true, bindingConditions: ['a'], bindingFailureConditions: ['b'] }),
    ['bindsToNode', 'bindingConditions', 'bindingFailureConditions'],
  ],
  ['slice', 'DRAConsumableCapacity', device({ allowMultipleAllocations: true }), ['allowMultipleAllocations']],
  [
    'slice',
    'DRAConsumableCapacity',
    device({ capacity: { memory: { value: '1', requestPolicy: { default: '1' } } } }),
    ['requestPolicy'],
  ],
  ['class', 'DRAExtendedResource', { extendedResourceName: 'example.com/a' }, ['extendedResourceName']],
];

describe.each(FIELDS)('a %s with the fields of %s %j', (place, gate, fields, traces) => {
  const [make, strategyOf] = PLACES[place];
  const object = () => make(structuredClone(fields)) as Draft;
  const found = (draft: Draft) => traces.filter((trace) => JSON.stringify(draft).includes(trace));
  /** The traces in an object after its preparation, as a new one without `old`. */
  async function kept(isOn: boolean, old?: Draft): Promise<readonly string[]> {
    const strategy = strategyOf(testFeatures({ [gate]: isOn })) as unknown as Strategy<Draft>;
    const made = object();
    const isNew = old === undefined && place !== 'status';
    if (isNew) await strategy.prepareForCreate?.(context, made);
    else await strategy.prepareForUpdate?.(context, made, old ?? (make({}) as Draft));
    return found(made);
  }

  it('keeps them while the gate is on', async () => expect(await kept(true)).toEqual(traces));
  it('drops them while it is off', async () => expect(await kept(false)).toEqual([]));
  it('keeps them if the stored object has them', async () => expect(await kept(false, object())).toEqual(traces));
});

it('keeps the capacity in the status of a claim whose spec uses capacity', async () => {
  const features = testFeatures({ DRAConsumableCapacity: false });
  const strategy = resourceClaimStatusStrategy(resourceClaimStrategy(features), features);
  const old = PLACES.claim[0](requesting({ capacity }, {})) as unknown as ResourceClaim;
  const made = { ...structuredClone(old), status: result({ shareID: 'i' }) } as unknown as ResourceClaim;
  await strategy.prepareForUpdate?.(context, made, old);
  expect(made.status.allocation?.devices?.results?.[0]?.shareID).toBe('i');
});
