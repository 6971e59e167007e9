import type { FullObject } from '../full-object.js';

const TIME = '2030-01-01T00:00:00Z';
const alpha = 'resource.k8s.io/v1alpha3';
const many = (length: number) => Array.from({ length }, (_, i) => i);
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'R',
  message: 'm',
  lastTransitionTime: TIME,
});
const POOL = { driver: 'd.example.com', poolName: 'p', generation: 1 };
const COUNTS = {
  resourceSliceCount: 1,
  totalDevices: 4,
  allocatedDevices: 2,
  availableDevices: 1,
  unavailableDevices: 1,
};
const pools = (...list: readonly object[]) => ({ status: { poolCount: list.length, pools: list } });

export const deviceRules: readonly FullObject[] = [
  {
    apiVersion: alpha,
    kind: 'DeviceTaintRule',
    fields: {
      spec: {
        deviceSelector: { driver: 'd.example.com', pool: 'p', device: 'd' },
        taint: { key: 'example.com/a', value: 'b', effect: 'NoExecute', timeAdded: TIME },
      },
      status: { conditions: [condition('EvictionInProgress')] },
    },
    also: [
      { 'spec.deviceSelector': undefined },
      { 'spec.deviceSelector': {} },
      { 'spec.deviceSelector.pool': 'a/b' },
      { 'spec.deviceSelector.pool': 'a//b' },
      { 'spec.taint.effect': 'Near' },
      { 'spec.taint.effect': 'None' },
      { 'spec.taint': {} },
      { 'status.conditions': many(8).map((i) => condition(`C${i}`)) },
      { 'status.conditions': many(9).map((i) => condition(`C${i}`)) },
      { 'status.conditions': [condition('A'), condition('A')] },
      { 'status.conditions': [{ type: 'A' }] },
    ],
  },
  {
    apiVersion: alpha,
    kind: 'ResourcePoolStatusRequest',
    fields: { spec: { driver: 'd.example.com', poolName: 'a/b', limit: 10 } },
    also: [
      { 'spec.driver': 'D.example.com' },
      { 'spec.driver': `${'a'.repeat(254)}` },
      { 'spec.poolName': 'a//B' },
      { 'spec.poolName': '/' },
      { 'spec.poolName': 'b/'.repeat(127) },
      { 'spec.limit': 0 },
      { 'spec.limit': 1001 },
      pools(),
      pools({ ...POOL, ...COUNTS, nodeName: 'n' }),
      pools({ ...POOL, validationError: 'e' }, { ...POOL, poolName: 'a/b' }),
      pools({}),
      pools({ ...POOL, driver: '_', poolName: 'a//B', generation: -1, nodeName: 'N' }),
      pools({ ...POOL, validationError: 'e'.repeat(257) }),
      pools({ ...POOL, ...Object.fromEntries(Object.keys(COUNTS).map((name) => [name, -1])) }),
      pools({ ...POOL, resourceSliceCount: 0, totalDevices: 0 }),
      { status: { pools: [POOL] } },
      { status: { poolCount: -1 } },
      { status: { poolCount: 1001, pools: many(1001).map((i) => ({ ...POOL, poolName: `p${i}` })) } },
      { status: { poolCount: 0, conditions: [condition('Complete'), condition('Failed', 'False')] } },
      { status: { poolCount: 0, conditions: [condition('Complete'), condition('Complete', 'False')] } },
      { status: { poolCount: 0, conditions: many(11).map((i) => condition(`C${i}`)) } },
      { status: { poolCount: 0, conditions: [{ type: 'A' }] } },
    ],
  },
  {
    apiVersion: alpha,
    kind: 'ResourcePoolStatusRequest',
    name: 'answered',
    skipped: ['spec'],
    fields: {
      spec: { driver: 'd.example.com' },
      status: { poolCount: 1, pools: [{ ...POOL, ...COUNTS, nodeName: 'n' }], conditions: [condition('Complete')] },
    },
    also: [{ status: undefined }, { 'status.poolCount': 2 }, { 'status.pools': undefined }],
  },
];
