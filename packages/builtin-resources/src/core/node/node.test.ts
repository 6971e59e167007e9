import type { Node, NodeSpec, NodeStatus } from '@apiserver/api/core/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { TEST_FEATURES, testFeatures } from '../../testing/group-dependencies.js';
import { nodeDeclaration } from './index.js';

const context = testContext({ namespace: '' });
const nodes = nodeDeclaration(TEST_FEATURES);
const { strategy } = nodes;
const status = nodes.subresources['status']?.strategy ?? strategy;
const [version] = nodes.versions;

function node(spec: NodeSpec = {}, state: Partial<NodeStatus> = {}, metadata: Node['metadata'] = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', uid: 'u', resourceVersion: '1', ...metadata },
    spec: structuredClone(spec),
    status: structuredClone(state) as NodeStatus,
  };
}

it('has its capacity as default of allocatable, in thousandths', () => {
  const made = node({}, { capacity: { cpu: '4', memory: '1.5' } });
  version?.applyDefaults?.(made);
  expect(made.status.allocatable).toEqual({ cpu: '4', memory: '1.5' });
  const odd = node({}, { capacity: { cpu: '100u' }, allocatable: {} });
  version?.applyDefaults?.(odd);
  expect(odd.status).toEqual({ capacity: { cpu: '1m' }, allocatable: {} });
});

it.each<[NodeSpec, NodeSpec]>([
  [{}, {}],
  [{ podCIDR: '10.0.0.0/24' }, { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] }],
  [{ podCIDRs: ['10.0.0.0/24', 'fd00::/64'] }, { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24', 'fd00::/64'] }],
  [
    { podCIDR: '10.0.1.0/24', podCIDRs: ['10.0.0.0/24', 'fd00::/64'] },
    { podCIDR: '10.0.1.0/24', podCIDRs: ['10.0.1.0/24'] },
  ],
])('normalizes %j', (sent, expected) => {
  const made = node(sent);
  version?.normalize?.(made);
  expect(made.spec).toEqual(expected);
});

describe('validation', () => {
  const swap = (capacity: number) => ({ nodeInfo: { swap: { capacity } } as NonNullable<NodeStatus['nodeInfo']> });
  it.each<[NodeSpec, Partial<NodeStatus>, string]>([
    [{}, {}, ''],
    [{ podCIDRs: ['10.0.0.0/24', 'fd00::/64'] }, {}, ''],
    [
      { podCIDRs: ['10.0.0.1/24'] },
      {},
      'spec.podCIDRs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length',
    ],
    [
      { podCIDRs: ['10.0.0.0/24', '10.0.0.0/24'] },
      {},
      'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
    [
      {
        taints: [
          { key: 'k', effect: 'NoSchedule' },
          { key: 'k', value: '2', effect: 'NoSchedule' },
        ],
      },
      {},
      'metadata.taints[1]: Duplicate value: {"Key":"k","Value":"2","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
    [
      {
        taints: [
          { key: 'k', effect: 'Sometimes' },
          { key: 'k', effect: '' },
        ],
      },
      {},
      '[metadata.taints[0].effect: Unsupported value: "Sometimes": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute", metadata.taints[1].effect: Required value]',
    ],
    [
      {},
      { capacity: { cpu: '-1' }, allocatable: { 'example.com/gpu': '500m' } },
      '[status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0, status.allocatable.example.com/gpu: Invalid value: "500m": must be an integer]',
    ],
    [{}, swap(1), ''],
    [{}, { declaredFeatures: ['A', 'A/b', 'B1/Cd/e'] }, ''],
    [
      {},
      { declaredFeatures: ['B', 'A', 'A'] },
      '[status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically, status.declaredFeatures[2]: Duplicate value: "A"]',
    ],
    ...['a', 'A/', 'A/1', 'A b', ''].map((name): [NodeSpec, Partial<NodeStatus>, string] => [
      {},
      { declaredFeatures: [name] },
      `status.declaredFeatures[0]: Invalid value: "${name}": invalid feature name "${name}": must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
    ]),
    [
      {},
      { declaredFeatures: ['A'.repeat(254)] },
      `status.declaredFeatures[0]: Invalid value: "${'A'.repeat(254)}": invalid feature name "${'A'.repeat(254)}": must be no more than 253 characters`,
    ],
    [{}, swap(0), 'metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero'],
  ])('%j %j', (spec, state, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, node(spec, state)))).toBe(message);
  });

  const KEY = 'scheduler.alpha.kubernetes.io';
  const AVOIDED = `metadata.annotations.${KEY}/preferAvoidPods`;
  const avoiding = (podSignature: object) => JSON.stringify({ preferAvoidPods: [{ podSignature }] });
  it.each<[string, string, string, string]>([
    ['taints', 'taints', '[{"key": "a", "effect": "NoSchedule"}]', ''],
    ['no taints', 'taints', '', ''],
    [
      'odd taints',
      'taints',
      '[{"Key": "a b", "effect": "Odd"}]',
      `[metadata.annotations.${KEY}/taints[0].key: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), metadata.annotations.${KEY}/taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"]`,
    ],
    [
      'a taint of no time',
      'taints',
      '[{"key": "a", "effect": "NoSchedule", "timeAdded": "now"}]',
      `metadata.annotations: Invalid value: "${KEY}/taints": parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"`,
    ],
    [
      'a taint of a number as time',
      'taints',
      '[{"key": "a", "effect": "NoSchedule", "timeAdded": 1}]',
      `metadata.annotations: Invalid value: "${KEY}/taints": json: cannot unmarshal number into Go value of type string`,
    ],
    [
      'a taint twice',
      'taints',
      '[{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule", "TIMEADDED": "2026-01-02T03:04:05+01:00"}]',
      `metadata.annotations.${KEY}/taints[1]: Duplicate value: {"Key":"a","Value":"","Effect":"NoSchedule","TimeAdded":"2026-01-02T02:04:05Z"}: taints must be unique by key and effect pair`,
    ],
    [
      'what are no taints',
      'taints',
      '{}',
      `metadata.annotations: Invalid value: "${KEY}/taints": json: cannot unmarshal object into Go value of type []core.Taint`,
    ],
    ['pods of a controller', 'preferAvoidPods', avoiding({ podController: { controller: true } }), ''],
    ['pods of none', 'preferAvoidPods', avoiding({}), `${AVOIDED}[0].PodSignature: Required value`],
    [
      'pods of an owner',
      'preferAvoidPods',
      avoiding({ podController: { controller: false } }),
      `${AVOIDED}[0].PodSignature.PodController.Controller: Invalid value: false: must point to a controller`,
    ],
    [
      'what are no pods',
      'preferAvoidPods',
      '{"preferAvoidPods": {}}',
      `metadata.annotations.AvoidPods: Invalid value: "${KEY}/preferAvoidPods": json: cannot unmarshal object into Go struct field AvoidPods.preferAvoidPods of type []v1.PreferAvoidPodsEntry`,
    ],
  ])('of %s in an annotation', (_what, name, text, message) => {
    const annotated = node({}, {}, { annotations: { [`${KEY}/${name}`]: text } });
    expect(aggregateFieldErrors(strategy.validate(context, annotated))).toBe(message);
    expect(aggregateFieldErrors(status.validateUpdate(context, annotated, annotated))).toBe(message);
  });

  it.each<[string, NodeSpec, NodeSpec, string]>([
    ['a first range', {}, { podCIDRs: ['10.0.0.0/24'] }, ''],
    [
      'another range',
      { podCIDRs: ['10.0.0.0/24'] },
      { podCIDRs: ['10.0.1.0/24'] },
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
    [
      'no range',
      { podCIDRs: ['10.0.0.0/24'] },
      {},
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
    [
      'another provider',
      { providerID: 'a://1' },
      {},
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
    ['an external ID', {}, { externalID: 'x' }, 'spec.externalID: Forbidden: may not be updated'],
    [
      'an empty configuration, where there was one',
      {
        configSource: { configMap: { namespace: 'n', name: 'c', kubeletConfigKey: 'k' } },
      },
      { configSource: {} },
      'spec.configSource: Invalid value: {"ConfigMap":null}: exactly one reference subfield must be non-nil',
    ],
    [
      'a bad configuration, where there was one',
      {
        configSource: { configMap: { namespace: 'n', name: 'c', kubeletConfigKey: 'k' } },
      },
      { configSource: { configMap: { namespace: '', name: 'C', kubeletConfigKey: '..', uid: 'u' } } },
      `[spec.configSource.configMap.uid: Forbidden: uid must not be set in spec, spec.configSource.configMap.namespace: Required value, spec.configSource.configMap.name: Invalid value: "C": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), spec.configSource.configMap.kubeletConfigKey: Invalid value: "..": must not be '..']`,
    ],
  ])('of an update to %s', (_what, before, after, message) => {
    expect(aggregateFieldErrors(strategy.validateUpdate(context, node(after), node(before)))).toBe(message);
  });

  it('of a status', () => {
    const sent = node(
      {},
      {
        addresses: [
          { type: 'InternalIP', address: '1.2.3.4' },
          { type: 'InternalIP', address: '1.2.3.4' },
        ],
        config: { active: { configMap: { namespace: 'n', name: 'c', kubeletConfigKey: 'k' } } },
      },
    );
    expect(aggregateFieldErrors(status.validateUpdate(context, sent, node()))).toBe(
      '[status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"1.2.3.4"}, status.config.active.configMap.uid: Required value, status.config.active.configMap.resourceVersion: Required value]',
    );
  });
});

it('updates spec and status only at their own endpoints', async () => {
  const old = node({ unschedulable: true }, { phase: 'Running' });
  const main = node({ configSource: {} }, { phase: 'Pending' });
  await strategy.prepareForUpdate?.(context, main, old);
  expect([main.spec, main.status]).toEqual([{}, { phase: 'Running' }]);
  const other = node({}, { phase: 'Pending', config: {} });
  await status.prepareForUpdate?.(context, other, old);
  expect([other.spec, other.status]).toEqual([{ unschedulable: true }, { phase: 'Pending' }]);
  const made = node({ configSource: {}, externalID: 'x' }, { phase: 'Pending', config: {} });
  await strategy.prepareForCreate?.(context, made);
  expect([made.spec, made.status]).toEqual([{ externalID: 'x' }, { phase: 'Pending' }]);
  expect(strategy.warningsOnCreate?.(context, made)).toEqual([
    'spec.externalID: this field is deprecated, and is unused by Kubernetes',
  ]);
});

it('can be selected by spec.unschedulable', () => {
  expect([node(), node({ unschedulable: true })].map((made) => nodes.selectableFields?.(made))).toEqual([
    { 'spec.unschedulable': 'false' },
    { 'spec.unschedulable': 'true' },
  ]);
});

const INFO = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: '6.12',
  osImage: 'Some OS',
  containerRuntimeVersion: 'containerd://2',
  kubeletVersion: 'v1.36.0',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'arm64',
};
const condition = (state: string) => ({ type: 'Ready', status: state });

it.each<[NodeSpec, Partial<NodeStatus>, Record<string, string>, string[]]>([
  [{}, {}, {}, ['Unknown', '<none>', '5h', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>']],
  [
    { unschedulable: true },
    {
      nodeInfo: INFO,
      conditions: [condition('True')],
      addresses: [
        { type: 'Hostname', address: 'h' },
        { type: 'ExternalIP', address: '9.9.9.9' },
        { type: 'InternalIP', address: '10.0.0.5' },
      ],
    },
    { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/': '', 'kubernetes.io/role': 'control-plane' },
    [
      'Ready,SchedulingDisabled',
      'control-plane,worker',
      '5h',
      'v1.36.0',
      '10.0.0.5',
      '9.9.9.9',
      'Some OS',
      '6.12 (arm64)',
      'containerd://2',
    ],
  ],
  [
    {},
    { conditions: [condition('Unknown')], nodeInfo: { ...INFO, architecture: '' } },
    {},
    ['NotReady', '<none>', '5h', 'v1.36.0', '<none>', '<none>', 'Some OS', '6.12', 'containerd://2'],
  ],
])('shows %j', (spec, state, labels, cells) => {
  const shown = node(spec, state, { labels, creationTimestamp: '2030-01-01T00:00:00Z' });
  const all = nodes.columns.map((column) => column.cell(shown, rowTime('2030-01-01T05:00:00Z')));
  expect(all).toEqual(['n', ...cells]);
});

it('has declared features with NodeDeclaredFeatures, or if the stored node has some', async () => {
  const declaring = (declaredFeatures?: string[]) => node({}, declaredFeatures && { declaredFeatures });
  const kept = async (isOn: boolean, old?: Node) => {
    const definition = nodeDeclaration(testFeatures({ NodeDeclaredFeatures: isOn }));
    const made = declaring(['A']);
    if (old === undefined) await definition.strategy.prepareForCreate?.(context, made);
    else await definition.subresources['status']?.strategy?.prepareForUpdate?.(context, made, old);
    return made.status.declaredFeatures;
  };
  expect(await Promise.all([kept(true), kept(false), kept(true, declaring()), kept(false, declaring())])).toEqual([
    ['A'],
    undefined,
    ['A'],
    undefined,
  ]);
  expect(await kept(false, declaring(['B']))).toEqual(['A']);
});
