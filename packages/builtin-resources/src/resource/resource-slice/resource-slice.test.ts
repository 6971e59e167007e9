import type { Device, DeviceCapacity, ResourceSlice, ResourceSliceSpec } from '@apiserver/api/resource/v1';
import { systemClock } from '@apiserver/apimachinery/clock';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import type { FeatureGates } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { resourceSliceDefaults } from './defaults.js';
import { resourceSlices } from './index.js';

const context = testContext({ namespace: '' });
const OFF: FeatureGates = { enabled: () => false };
const { strategy, columns } = resourceSlices(systemClock, OFF);
const POOL = { name: 'n', generation: 1, resourceSliceCount: 1 };

function slice(spec: Partial<ResourceSliceSpec> = {}): ResourceSlice {
  const node = ['allNodes', 'nodeSelector', 'perDeviceNodeSelection', 'nodeName'].some((field) => field in spec);
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 's', uid: 'u', resourceVersion: '1' },
    spec: { driver: 'd.example.com', pool: POOL, ...(node ? {} : { nodeName: 'n' }), ...structuredClone(spec) },
  };
}

const device = (fields: Partial<Device> = {}): Device => ({ name: 'gpu-0', ...fields });
const devices = (...all: Partial<Device>[]) => ({ devices: all.map(device) });
const term = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
const PRINTED_TERM = { MatchExpressions: [{ Key: 'zone', Operator: 'In', Values: ['a'] }], MatchFields: null };
const counters = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, { value: '1' }]));
const named = (count: number, fields: Partial<Device> = {}) => ({
  devices: Array.from({ length: count }, (_, i) => device({ ...fields, name: `gpu-${i}` })),
});
const AT = 'spec.devices[0]';
const NODE = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
const PER_DEVICE =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const NOT_PER_DEVICE =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const EMPTY = 'must not be empty if specified';
const IDENTIFIER =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

describe('a slice', () => {
  it.each<[string, Partial<ResourceSliceSpec>, string]>([
    ['of nothing', {}, ''],
    [
      'of a device with everything',
      devices({
        attributes: {
          model: { string: 'a' },
          'example.com/version': { version: '1.2.3-rc.1+b' },
          cores: { int: 1 },
          ecc: { bool: false },
        },
        capacity: { memory: { value: '1Gi' } },
        taints: [{ key: 'example.com/broken', effect: 'NoSchedule' }],
        consumesCounters: [{ counterSet: 'c', counters: counters(1) }],
        bindingConditions: ['a'],
        bindingFailureConditions: ['b'],
      }),
      '',
    ],
    ['of counters', { sharedCounters: [{ name: 'c', counters: counters(32) }] }, ''],
    [
      'with a pool of nothing',
      { pool: { name: 'a//b', generation: -1, resourceSliceCount: 0 } },
      expect.stringMatching(
        /^\[spec.pool.name: Invalid value: "": .*, spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero, spec.pool.generation: Invalid value: -1: must be greater than or equal to zero\]$/,
      ),
    ],
    [
      'nowhere',
      { allNodes: false, perDeviceNodeSelection: false, nodeName: '' },
      `[spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string, spec.allNodes: Invalid value: false: must be either unset or set to true, spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true, spec: Required value: ${NODE}]`,
    ],
    [
      'in several ways',
      { allNodes: true, nodeName: 'n' },
      `spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${NODE}, but multiple fields are set`,
    ],
    [
      'on nodes of two terms',
      { nodeSelector: { nodeSelectorTerms: [term, term] } },
      `spec.nodeSelector.nodeSelectorTerms: Invalid value: ${JSON.stringify([PRINTED_TERM, PRINTED_TERM])}: must have exactly one node selector term`,
    ],
    [
      'of devices and counters',
      { ...devices({}), sharedCounters: [{ name: 'c', counters: counters(1) }] },
      'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
    ],
    ['of a device twice', devices({}, {}), 'spec.devices[1]: Duplicate value: "gpu-0"'],
    ['of too many devices', named(129), 'spec.devices: Too many: 129: must have at most 128 items'],
    [
      'of too many devices with taints',
      named(65, { taints: [{ key: 'k', effect: 'None' }] }),
      'spec.devices: Too many: 65: must have at most 64 items',
    ],
    [
      'of empty counters',
      { sharedCounters: [{ name: '', counters: {} }] },
      '[spec.sharedCounters[0].name: Required value, spec.sharedCounters[0].counters: Required value]',
    ],
    [
      'of too many counters',
      { sharedCounters: [{ name: 'c', counters: counters(33) }] },
      'spec.sharedCounters[0].counters: Too many: 33: must have at most 32 items',
    ],
  ])('%s', (_what, spec, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, slice(spec)))).toEqual(message);
  });
});

describe('a device', () => {
  it.each<[string, Partial<Device>, string]>([
    [
      'with attributes of no name',
      { attributes: { 'a-b': { int: 1 }, '/x': { int: 1 }, 'a.b/': { int: 1 } } },
      `[${AT}.attributes: Invalid value: "": the domain must not be empty, ${AT}.attributes: Invalid value: "a-b": ${IDENTIFIER}, ${AT}.attributes: Invalid value: "": the name must not be empty]`,
    ],
    [
      'with an attribute of nothing',
      { attributes: { a: {} } },
      `${AT}.attributes[a]: Invalid value: "": exactly one value must be specified`,
    ],
    [
      'with attributes of empty lists',
      { attributes: { a: { bools: [] }, b: { ints: [] }, c: { strings: [], versions: ['v1'] } } },
      `[${AT}.attributes[a].bools: Invalid value: []: ${EMPTY}, ${AT}.attributes[b].ints: Invalid value: []: ${EMPTY}, ${AT}.attributes[c].strings: Invalid value: []: ${EMPTY}, ${AT}.attributes[c].versions[0]: Invalid value: "v1": must be a string compatible with semver.org spec 2.0.0, ${AT}.attributes[c]: Invalid value: {"IntValue":null,"BoolValue":null,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":[],"VersionValues":["v1"]}: exactly one value must be specified]`,
    ],
    [
      'with an attribute of two values',
      { attributes: { a: { int: 1, bool: true } } },
      `${AT}.attributes[a]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified`,
    ],
    [
      'with a version of two parts',
      { attributes: { a: { version: '1.2' } } },
      `${AT}.attributes[a].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0`,
    ],
    [
      'with a long text',
      { attributes: { a: { string: 'x'.repeat(65) } } },
      `${AT}.attributes[a].string: Too long: may not be more than 64 bytes`,
    ],
    [
      'with too many attributes',
      { attributes: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`a${i}`, { int: 1 }])) },
      `${AT}: Invalid value: 33: the total number of attributes and capacities must not exceed 32`,
    ],
    [
      'with far too many attributes',
      { attributes: Object.fromEntries(Array.from({ length: 49 }, (_, i) => [`a${i}`, { int: 1 }])) },
      `[${AT}: Invalid value: 49: the total number of attributes and capacities must not exceed 32, ${AT}: Invalid value: 49: the total number of attribute values must not exceed 48]`,
    ],
    [
      'with too many values',
      { attributes: { a: { ints: Array.from({ length: 48 }, (_, i) => i) }, b: { bool: true } } },
      `${AT}: Invalid value: 49: the total number of attribute values must not exceed 48`,
    ],
    [
      'with odd taints',
      {
        taints: [
          { key: '', effect: '' },
          { key: 'k', effect: 'x' },
        ],
      },
      expect.stringMatching(
        /taints\[0\].key: Invalid value: "": name part must be non-empty.*taints\[0\].effect: Required value, .*taints\[1\].effect: Unsupported value: "x": supported values: "NoExecute", "NoSchedule", "None"/,
      ),
    ],
    [
      'that takes from too many',
      { consumesCounters: ['a', 'b', 'c'].map((counterSet) => ({ counterSet, counters: counters(1) })) },
      `${AT}.consumesCounters: Too many: 3: must have at most 2 items`,
    ],
    [
      'that takes twice',
      { consumesCounters: ['a', 'a'].map((counterSet) => ({ counterSet, counters: counters(1) })) },
      `${AT}.consumesCounters[1]: Duplicate value: "a"`,
    ],
    ['on a node of its own', { nodeName: 'n' }, `${AT}: Invalid value: null: ${NOT_PER_DEVICE}`],
    [
      'with conditions of both kinds',
      { bindingConditions: ['a'], bindingFailureConditions: ['a'] },
      `${AT}.bindingFailureConditions[0]: Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions`,
    ],
  ])('%s', (_what, fields, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, slice(devices(fields))))).toEqual(message);
  });

  it.each<[string, Partial<Device>, string]>([
    ['its own', { allNodes: true }, ''],
    ['none', {}, `${AT}: Required value: ${PER_DEVICE}`],
    [
      'two',
      { nodeName: 'n', nodeSelector: { nodeSelectorTerms: [term] } },
      `${AT}: Invalid value: "{\`nodeName\`, \`nodeSelector\`}": ${PER_DEVICE}`,
    ],
  ])('specifies %s where each device specifies its nodes', (_what, fields, message) => {
    const spec = { ...devices(fields), perDeviceNodeSelection: true };
    expect(aggregateFieldErrors(strategy.validate(context, slice(spec)))).toBe(message);
  });
});

describe('a capacity', () => {
  const POLICY = `${AT}.capacity[m].requestPolicy`;
  const range = (fields: object, rest: object = {}) => ({ default: '2', validRange: fields, ...rest });

  it.each<[string, DeviceCapacity['requestPolicy'], string]>([
    ['of any amount', {}, ''],
    ['of some amounts', { default: '2', validValues: ['1', '2'] }, ''],
    ['of a range', range({ min: '1', max: '3', step: '1' }), ''],
    [
      'of amounts and a range',
      range({ min: '1' }, { validValues: ['1'] }),
      `${POLICY}: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`,
    ],
    [
      'of amounts without default',
      { validValues: ['1'] },
      `${POLICY}.default: Required value: required when validValues is defined`,
    ],
    [
      'of odd amounts',
      { default: '3', validValues: ['2', '1', '1', '20'] },
      `[${POLICY}.validValues[1]: Invalid value: "1": values must be sorted in ascending order, ${POLICY}.validValues[3]: Invalid value: "20": option is larger than capacity value: 10, ${POLICY}.validValues[2]: Duplicate value: "1", ${POLICY}.validValues: Invalid value: "3": default value is not valid according to the requestPolicy]`,
    ],
    [
      'of a range without bound',
      range({}),
      `${POLICY}.validRange.min: Required value: required when validRange is defined`,
    ],
    [
      'of a range above the default',
      range({ min: '3', max: '11' }),
      `[${POLICY}.validRange.min: Invalid value: "2": default is less than min: 3, ${POLICY}.validRange.max: Invalid value: "11": max is larger than capacity value: 10]`,
    ],
    [
      'of a range in odd steps',
      range({ min: '1', max: '4', step: '2' }),
      `[${POLICY}.validRange.step: Invalid value: "2": value is not a multiple of a given step (2) from (1), ${POLICY}.validRange.step: Invalid value: "4": value is not a multiple of a given step (2) from (1)]`,
    ],
    ['of a range in steps backwards', range({ min: '1', step: '-1' }), ''],
    [
      'of fractions that round up to the same number',
      { default: '500m', validValues: ['500m', '1'] },
      `${POLICY}.validValues[1]: Duplicate value: "1"`,
    ],
    [
      'of a range in no steps',
      range({ min: '1', step: '0' }),
      `${POLICY}.validRange.step: Invalid value: "0": must be greater than zero`,
    ],
  ])('%s', (_what, requestPolicy, message) => {
    const capacity = { m: { value: '10', ...(requestPolicy && { requestPolicy }) } };
    const made = slice(devices({ allowMultipleAllocations: true, capacity }));
    expect(aggregateFieldErrors(strategy.validate(context, made))).toBe(message);
  });

  it('has a request policy only if a device allows multiple allocations', () => {
    const made = slice(devices({ capacity: { m: { value: '10', requestPolicy: {} } } }));
    expect(aggregateFieldErrors(strategy.validate(context, made))).toBe(
      `${POLICY}: Forbidden: allowMultipleAllocations must be true`,
    );
  });
});

it('keeps its identity, and may keep taints that are no longer valid', () => {
  const old = slice(devices({ taints: [{ key: 'k', effect: 'New' }] }));
  expect(strategy.validateUpdate(context, old, old)).toEqual([]);
  const other = slice({ driver: 'e.example.com', pool: { ...POOL, name: 'm' }, allNodes: true });
  expect(aggregateFieldErrors(strategy.validateUpdate(context, other, old))).toBe(
    '[spec.pool.name: Invalid value: "m": field is immutable, spec.driver: Invalid value: "e.example.com": field is immutable, spec.nodeName: Invalid value: null: field is immutable]',
  );
});

it('increments the generation, and keeps fields of disabled features only if stored', () => {
  const odd = devices({ attributes: { a: { ints: [1] } }, nodeAllocatableResourceMappings: { cpu: {} } });
  const made = slice(odd);
  void strategy.prepareForCreate?.(context, made);
  expect([made.metadata.generation, made.spec.devices]).toEqual([1, [device({ attributes: { a: {} } })]]);
  const kept = slice(odd);
  void strategy.prepareForUpdate?.(context, kept, slice(odd));
  expect([kept.metadata.generation, kept.spec]).toEqual([undefined, slice(odd).spec]);
});

it('keeps lists with DRAListTypeAttributes', () => {
  const on = resourceSlices(systemClock, { enabled: (name) => name === 'DRAListTypeAttributes' }).strategy;
  const made = slice(devices({ attributes: { a: { ints: [1] } }, nodeAllocatableResourceMappings: { cpu: {} } }));
  void on.prepareForCreate?.(context, made);
  expect(made.spec.devices).toEqual([device({ attributes: { a: { ints: [1] } } })]);
  expect(on.validate(context, made)).toEqual([]);
});

describe('DRANodeAllocatableResources', () => {
  type Mappings = NonNullable<Device['nodeAllocatableResourceMappings']>;
  const on = resourceSlices(systemClock, { enabled: (name) => name === 'DRANodeAllocatableResources' }).strategy;
  const AT = 'spec.devices[0].nodeAllocatableResourceMappings';

  it.each<[Mappings, Record<string, DeviceCapacity>, readonly string[]]>([
    [{ cpu: { allocationMultiplier: '2' }, memory: { capacityKey: 'size' } }, { size: { value: '1' } }, []],
    [
      { 'example.com/gpu': {} },
      {},
      [
        `${AT}[example.com/gpu]: Invalid value: "example.com/gpu": must be a node allocatable resource name`,
        `${AT}[example.com/gpu]: Invalid value: "": at least one of allocationMultiplier or capacityKey must be set`,
      ],
    ],
    [
      { cpu: { allocationMultiplier: '-1', capacityKey: '' }, memory: { allocationMultiplier: '0', capacityKey: 'a' } },
      {},
      [
        `${AT}[cpu].allocationMultiplier: Invalid value: "-1": must be positive`,
        `${AT}[cpu].capacityKey: Invalid value: "": capacityKey must not be an empty string`,
        `${AT}[memory].allocationMultiplier: Invalid value: "0": must be positive`,
        `${AT}[memory].capacityKey: Not found: "a"`,
      ],
    ],
  ])('judges the mappings %o', (nodeAllocatableResourceMappings, capacity, faults) => {
    const made = slice(devices({ nodeAllocatableResourceMappings, capacity }));
    void on.prepareForCreate?.(context, made);
    expect(on.validate(context, made).map((error) => aggregateFieldErrors([error]))).toEqual(faults);
  });
});

it('sets times of taints, warns of upper case, and can be selected by node and driver', () => {
  const made = slice(
    devices({
      taints: [
        { key: 'k', effect: 'None' },
        { key: 'l', effect: 'None', timeAdded: '2029-01-01T00:00:00Z' },
      ],
    }),
  );
  resourceSliceDefaults({ now: () => Date.UTC(2030, 0, 1) })(made);
  expect(made.spec.devices?.[0]?.taints?.map(({ timeAdded }) => timeAdded)).toEqual([
    '2030-01-01T00:00:00Z',
    '2029-01-01T00:00:00Z',
  ]);
  expect(strategy.warningsOnCreate?.(context, slice({ driver: 'D.example.com' }))).toEqual([
    'spec.driver: driver names should be lowercase; "D.example.com" contains uppercase characters',
  ]);
  expect(resourceSlices(systemClock, OFF).selectableFields?.(made)).toEqual({
    'spec.nodeName': 'n',
    'spec.driver': 'd.example.com',
  });
  expect(columns.map((column) => column.cell(made, rowTime(0)))).toEqual(['s', 'n', 'd.example.com', 'n', '<unknown>']);
});
