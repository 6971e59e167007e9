import type { FullObject } from '../full-object.js';

const resource = 'resource.k8s.io/v1';
const SELECTOR = { cel: { expression: 'device.driver == "d.example.com"' } };
const TOLERATION = { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule', tolerationSeconds: 1 };
const REQUEST = {
  deviceClassName: 'c',
  selectors: [SELECTOR],
  allocationMode: 'ExactCount',
  count: 1,
  tolerations: [TOLERATION],
};
const CONFIGURATION = { opaque: { driver: 'd.example.com', parameters: { a: 1 } } };
const CLAIM = {
  devices: {
    requests: [
      { name: 'r', exactly: { ...REQUEST, adminAccess: false } },
      {
        name: 'f',
        firstAvailable: [
          { name: 's', ...REQUEST },
          { name: 't', deviceClassName: 'c', allocationMode: 'All' },
        ],
      },
    ],
    constraints: [{ requests: ['r', 'f/s'], matchAttribute: 'd.example.com/a' }],
    config: [{ requests: ['r'], ...CONFIGURATION }],
  },
};
const many = (length: number) => Array.from({ length }, (_, i) => i);
const CLAIM_CHANGES = [
  { 'devices.requests': many(33).map((i) => ({ name: `r${i}`, exactly: REQUEST })) },
  {
    'devices.requests': many(32).map((i) => ({ name: `r${i}`, exactly: REQUEST })),
    'devices.constraints': [],
    'devices.config': [],
  },
  { 'devices.requests': [{ name: 'r' }] },
  { 'devices.requests': [{ name: 'r', exactly: REQUEST, firstAvailable: [{ name: 's', ...REQUEST }] }] },
  { 'devices.requests': [{ name: 'r', exactly: { ...REQUEST, allocationMode: 'All' } }] },
  { 'devices.requests': [{ name: 'r', exactly: { ...REQUEST, selectors: many(33).map(() => SELECTOR) } }] },
  { 'devices.requests': [{ name: 'r', exactly: { ...REQUEST, selectors: [{ cel: { expression: '1' } }] } }] },
  { 'devices.requests': [{ name: 'r', exactly: { ...REQUEST, selectors: [{}] } }] },
  { 'devices.requests': [{ name: 'r', exactly: { ...REQUEST, tolerations: many(17).map(() => TOLERATION) } }] },
  { 'devices.requests': [{ name: 'r', exactly: { ...REQUEST, tolerations: [{ operator: 'Equal' }] } }] },
  { 'devices.requests': [{ name: 'r', exactly: { ...REQUEST, tolerations: [{ operator: 'Exists', value: 'b' }] } }] },
  { 'devices.requests': [{ name: 'f', firstAvailable: many(9).map((i) => ({ name: `s${i}`, ...REQUEST })) }] },
  {
    'devices.requests': [
      {
        name: 'f',
        firstAvailable: [
          { name: 's', ...REQUEST },
          { name: 's', ...REQUEST },
        ],
      },
    ],
  },
  { 'devices.constraints': [{ requests: ['nothing'], matchAttribute: 'd.example.com/a' }] },
  { 'devices.constraints': [{ requests: ['f/nothing', 'f'], matchAttribute: 'a' }] },
  { 'devices.constraints': many(33).map(() => ({ matchAttribute: 'd.example.com/a' })) },
  { 'devices.constraints': [{ distinctAttribute: 'd.example.com/a' }] },
  { 'devices.constraints': [{}] },
  { 'devices.config': many(33).map(() => CONFIGURATION) },
  { 'devices.config': [{ requests: ['nothing'], ...CONFIGURATION }] },
  { 'devices.config': [{ opaque: { driver: 'd.example.com', parameters: 'text' } }] },
  { 'devices.config': [{}] },
];
const under = (prefix: string) =>
  CLAIM_CHANGES.map((change) =>
    Object.fromEntries(Object.entries(change).map(([path, value]) => [`${prefix}.${path}`, value])),
  );

const RESULT = { request: 'r', driver: 'd.example.com', pool: 'p', device: 'd' };
const NODES = {
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
};
const POOL = { name: 'p', generation: 1, resourceSliceCount: 1 };
const DEVICE = {
  name: 'd',
  attributes: { a: { string: 's' }, 'd.example.com/b': { int: 1 }, c: { bool: true }, v: { version: '1.0.0' } },
  capacity: { memory: { value: '1Gi' } },
  taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
};
const SLICE = { driver: 'd.example.com', pool: POOL };
const devices = (...list: readonly object[]) => ({
  'spec.devices': list.map((device, i) => ({ name: `d${i}`, ...device })),
});

export const deviceObjects: readonly FullObject[] = [
  {
    apiVersion: resource,
    kind: 'DeviceClass',
    fields: { spec: { selectors: [SELECTOR], config: [CONFIGURATION], extendedResourceName: 'example.com/gpu' } },
    also: [
      { 'spec.selectors': many(33).map(() => SELECTOR) },
      { 'spec.config': many(33).map(() => CONFIGURATION) },
      { 'spec.config': [{ opaque: { driver: 'd.example.com', parameters: { a: 'b'.repeat(10_241) } } }] },
      { 'spec.selectors': [{ cel: { expression: 'true' } }, { cel: { expression: 'device.' } }] },
      { 'spec.selectors': [{ cel: { expression: `"${'b'.repeat(10_241)}" == ""` } }] },
      { 'spec.extendedResourceName': 'cpu' },
      { 'spec.extendedResourceName': 'kubernetes.io/gpu' },
      { 'spec.extendedResourceName': 'requests.example.com/gpu' },
    ],
  },
  {
    apiVersion: resource,
    kind: 'ResourceClaim',
    fields: {
      spec: CLAIM,
      status: {
        allocation: {
          devices: { results: [RESULT], config: [{ source: 'FromClaim', requests: ['r'], ...CONFIGURATION }] },
          nodeSelector: NODES,
        },
        reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }],
        devices: [
          {
            driver: 'd.example.com',
            pool: 'p',
            device: 'd',
            data: { a: 1 },
            conditions: [{ type: 'Ready', status: 'True', reason: 'R', lastTransitionTime: '2030-01-01T00:00:00Z' }],
            networkData: { interfaceName: 'eth0', ips: ['10.0.0.1/24'], hardwareAddress: 'aa:bb' },
          },
        ],
      },
    },
    also: [
      ...under('spec'),
      { 'status.reservedFor': many(257).map((i) => ({ resource: 'pods', name: `p${i}`, uid: `u${i}` })) },
      { 'status.reservedFor': many(256).map((i) => ({ resource: 'pods', name: `p${i}`, uid: `u${i}` })) },
      {
        'status.reservedFor': [
          { resource: 'pods', name: 'p', uid: 'u' },
          { resource: 'pods', name: 'q', uid: 'u' },
        ],
      },
      { 'status.allocation': undefined },
      { 'status.allocation': undefined, 'status.reservedFor': undefined },
      { 'status.allocation': undefined, 'status.reservedFor': undefined, 'status.devices': undefined },
      { 'status.devices': [{ driver: 'd.example.com', pool: 'p', device: 'other' }] },
      { 'status.devices': [{ driver: 'd.example.com', pool: 'p', device: 'd', networkData: { ips: ['10.0.0.1'] } }] },
      {
        'status.devices': [
          { driver: 'd.example.com', pool: 'p', device: 'd', networkData: { ips: ['10.0.0.1/24', '10.0.0.1/24'] } },
        ],
      },
      {
        'status.devices': [
          { driver: 'd.example.com', pool: 'p', device: 'd', networkData: { interfaceName: 'e'.repeat(257) } },
        ],
      },
      {
        'status.devices': [
          { driver: 'd.example.com', pool: 'p', device: 'd', networkData: { hardwareAddress: 'e'.repeat(129) } },
        ],
      },
      {
        'status.devices': [
          {
            driver: 'd.example.com',
            pool: 'p',
            device: 'd',
            networkData: { ips: many(17).map((i) => `10.0.0.${i}/24`) },
          },
        ],
      },
    ],
  },
  {
    apiVersion: resource,
    kind: 'ResourceClaim',
    name: 'pending',
    skipped: ['spec'],
    fields: { spec: CLAIM },
    also: [
      { 'status.allocation': { devices: { results: [RESULT] } } },
      { 'status.allocation': { devices: { results: [{ ...RESULT, request: 'nothing' }] } } },
      { 'status.allocation': { devices: { results: [{ ...RESULT, request: 'f' }] } } },
      { 'status.allocation': { devices: { results: [{ ...RESULT, request: 'f/s' }] } } },
      { 'status.allocation': { devices: { results: many(33).map((i) => ({ ...RESULT, device: `d${i}` })) } } },
      { 'status.allocation': { devices: { results: [{ ...RESULT, pool: 'a//b' }] } } },
      { 'status.allocation': { devices: { results: [{ ...RESULT, device: 'Not_Valid' }] } } },
      {
        'status.allocation': {
          devices: { results: [RESULT], config: many(65).map(() => ({ source: 'FromClass', ...CONFIGURATION })) },
        },
      },
      { 'status.allocation': { devices: { results: [RESULT], config: [{ source: 'Near', ...CONFIGURATION }] } } },
      {
        'status.allocation': {
          devices: { results: [RESULT] },
          nodeSelector: { nodeSelectorTerms: [...NODES.nodeSelectorTerms, ...NODES.nodeSelectorTerms] },
        },
      },
      { 'status.reservedFor': [{ resource: 'pods', name: 'p', uid: 'u' }] },
    ],
  },
  {
    apiVersion: resource,
    kind: 'ResourceClaimTemplate',
    fields: { spec: { metadata: { labels: { a: 'b' }, annotations: { a: 'b' } }, spec: CLAIM } },
    skipped: ['spec.metadata', 'spec.spec.devices.requests[0]', 'spec.spec.devices.requests[1]'],
    also: under('spec.spec').slice(0, 5),
  },
  {
    apiVersion: resource,
    kind: 'ResourceSlice',
    fields: { spec: { ...SLICE, nodeName: 'n', devices: [DEVICE, { name: 'e' }] } },
    also: [
      { 'spec.nodeName': undefined },
      { 'spec.allNodes': true },
      { 'spec.nodeName': undefined, 'spec.allNodes': true },
      { 'spec.nodeName': undefined, 'spec.nodeSelector': NODES },
      { 'spec.nodeName': undefined, 'spec.perDeviceNodeSelection': true },
      {
        'spec.nodeName': undefined,
        'spec.perDeviceNodeSelection': true,
        'spec.devices': [{ name: 'd', nodeName: 'n' }],
      },
      {
        'spec.nodeName': undefined,
        'spec.perDeviceNodeSelection': true,
        'spec.devices': [{ name: 'd', nodeName: 'n', allNodes: true }],
      },
      { 'spec.pool': { ...POOL, generation: 2 } },
      { 'spec.pool': { ...POOL, name: 'q' } },
      { 'spec.pool': { ...POOL, name: 'b/'.repeat(127) } },
      { 'spec.sharedCounters': [{ name: 'c', counters: { memory: { value: '1Gi' } } }], 'spec.devices': undefined },
      { 'spec.sharedCounters': [{ name: 'c', counters: { memory: { value: '1Gi' } } }] },
      { 'spec.sharedCounters': [{ name: 'c', counters: {} }], 'spec.devices': undefined },
      devices({ consumesCounters: [{ counterSet: 'c', counters: { memory: { value: '1Gi' } } }] }),
      devices({ consumesCounters: [{ counterSet: '', counters: {} }] }),
      devices(...many(129).map(() => ({}))),
      devices(...many(128).map(() => ({}))),
      devices(...many(65).map((i) => (i > 0 ? {} : { taints: [{ key: 'a', effect: 'NoExecute' }] }))),
      devices(...many(64).map((i) => (i > 0 ? {} : { taints: [{ key: 'a', effect: 'NoExecute' }] }))),
      devices({ taints: many(17).map((i) => ({ key: `a${i}`, effect: 'NoExecute' })) }),
      devices({ taints: [{ key: 'a', effect: 'Near' }] }),
      devices({ attributes: { a: {} } }),
      devices({ attributes: { a: { string: 's', int: 1 } } }),
      devices({ attributes: { a: { string: 's'.repeat(65) } } }),
      devices({ attributes: { a: { version: '1.0' } } }),
      devices({ attributes: { a: { version: `1.0.0-${'b'.repeat(64)}` } } }),
      devices({ attributes: { 'd.example.com/1a': { int: 1 } } }),
      devices({ attributes: { 'Not.Valid/a': { int: 1 } } }),
      devices({ attributes: { 'a/b/c': { int: 1 } } }),
      devices({ attributes: Object.fromEntries(many(33).map((i) => [`a${i}`, { int: 1 }])) }),
      devices({
        attributes: Object.fromEntries(many(32).map((i) => [`a${i}`, { int: 1 }])),
        capacity: { c: { value: '1' } },
      }),
      devices({
        allowMultipleAllocations: true,
        capacity: { c: { value: '4', requestPolicy: { default: '1', validValues: ['1', '2'] } } },
      }),
      devices({
        allowMultipleAllocations: true,
        capacity: { c: { value: '4', requestPolicy: { default: '3', validValues: ['1', '2'] } } },
      }),
      devices({
        allowMultipleAllocations: true,
        capacity: { c: { value: '4', requestPolicy: { default: '1', validValues: ['2', '1'] } } },
      }),
      devices({
        allowMultipleAllocations: true,
        capacity: { c: { value: '4', requestPolicy: { default: '1', validRange: { min: '1', max: '4', step: '1' } } } },
      }),
      devices({
        allowMultipleAllocations: true,
        capacity: { c: { value: '4', requestPolicy: { default: '1', validRange: { min: '2', max: '1', step: '3' } } } },
      }),
      devices({
        allowMultipleAllocations: true,
        capacity: { c: { value: '4', requestPolicy: { validValues: ['1'] } } },
      }),
      devices({
        allowMultipleAllocations: true,
        capacity: { c: { value: '4', requestPolicy: { default: '1', validValues: ['1'], validRange: { min: '1' } } } },
      }),
      devices({ capacity: { c: { value: '4', requestPolicy: { default: '1' } } } }),
      devices({ bindsToNode: true, bindingConditions: ['Ready'], bindingFailureConditions: ['Failed'] }),
      devices({ bindsToNode: true, bindingConditions: ['Ready'] }),
      devices({ bindingConditions: ['a', 'a'], bindingFailureConditions: ['a'] }),
      devices({
        bindingConditions: many(5).map((i) => `c${i}`),
        bindingFailureConditions: many(5).map((i) => `f${i}`),
      }),
    ],
  },
];
