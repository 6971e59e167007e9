import type { PodGroup, PodGroupSpec, PodGroupStatus } from '@apiserver/api/scheduling/v1alpha2';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { podGroups as define } from './index.js';

const context = testContext({ namespace: 'ns' });
const podGroups = define({ topology: false });
const podGroupStatusStrategy = podGroups.subresources['status']?.strategy ?? podGroups.strategy;
const GATED = {
  schedulingConstraints: { topology: [{ key: 'rack' }] },
  resourceClaims: [{ name: 'c', resourceClaimName: 'r' }],
  disruptionMode: 'PodGroup',
  priorityClassName: 'high',
  priority: 5,
};

function group(spec: Partial<PodGroupSpec> = {}, status: PodGroupStatus = {}): PodGroup {
  return {
    apiVersion: 'scheduling.k8s.io/v1alpha2',
    kind: 'PodGroup',
    metadata: { name: 'g', namespace: 'ns', uid: 'u', resourceVersion: '1' },
    spec: { schedulingPolicy: { gang: { minCount: 2 } }, ...spec },
    status,
  };
}

const policy = (schedulingPolicy: PodGroupSpec['schedulingPolicy']) => group({ schedulingPolicy });
const reference = (workloadName: string, podGroupTemplateName: string) =>
  group({ podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName } } });
const REFERENCE = 'spec.podGroupTemplateRef';

describe('PodGroup', () => {
  it.each<[string, PodGroup, string]>([
    ['a gang', group(), ''],
    ['a basic policy', policy({ basic: {} }), ''],
    ['a template', reference('w.x', 't'), ''],
    ['no policy', policy({}), 'spec.schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`'],
    [
      'two policies',
      policy({ basic: {}, gang: { minCount: 1 } }),
      'spec.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
    ],
    ['no count', policy({ gang: { minCount: 0 } }), 'spec.schedulingPolicy.gang.minCount: Required value'],
    [
      'a negative count',
      policy({ gang: { minCount: -1 } }),
      'spec.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1',
    ],
    [
      'an empty reference',
      group({ podGroupTemplateRef: {} }),
      `${REFERENCE}: Invalid value: "": must specify one of: \`workload\``,
    ],
    [
      'a reference without names',
      reference('', ''),
      `[${REFERENCE}.workload.workloadName: Required value, ${REFERENCE}.workload.podGroupTemplateName: Required value]`,
    ],
    [
      'a reference to a template with dots',
      reference('w', 'a.b'),
      `${REFERENCE}.workload.podGroupTemplateName: Invalid value: "a.b": must not contain dots`,
    ],
    [
      'a reference with a long name',
      reference('w', 'a'.repeat(64)),
      `${REFERENCE}.workload.podGroupTemplateName: Invalid value: "${'a'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ])('with %s', (_, object, message) => {
    expect(aggregateFieldErrors(podGroups.strategy.validate(context, object))).toBe(message);
  });

  it.each<[string, PodGroup, string]>([
    ['nothing', group(), ''],
    ['the policy', policy({ basic: {} }), 'spec.schedulingPolicy: Invalid value: null: field is immutable'],
    ['the template', reference('w', 't'), `${REFERENCE}: Invalid value: null: field is immutable`],
  ])('is updated when %s changes', (_, object, message) => {
    expect(aggregateFieldErrors(podGroups.strategy.validateUpdate(context, object, group()))).toBe(message);
  });

  it.each<[string, Partial<PodGroupSpec>, string]>([
    ['the same values', {}, ''],
    [
      'other values',
      { schedulingConstraints: {}, disruptionMode: 'Pod', priorityClassName: 'low', priority: 0 },
      '[spec.schedulingConstraints: Forbidden, spec.disruptionMode: Forbidden, spec.priorityClassName: Forbidden, spec.priority: Forbidden]',
    ],
    ['an empty mode', { disruptionMode: '' }, 'spec.disruptionMode: Forbidden'],
    ['other claims', { resourceClaims: [] }, 'spec.resourceClaims: Invalid value: null: field is immutable'],
  ])('updates fields of disabled features to %s', (_, change, message) => {
    const changed = group({ ...GATED, ...change });
    expect(aggregateFieldErrors(podGroups.strategy.validateUpdate(context, changed, group(GATED)))).toBe(message);
  });

  it('may lose the fields of disabled features', () => {
    const { resourceClaims } = GATED;
    const without = group({ resourceClaims, priorityClassName: '' });
    expect(podGroups.strategy.validateUpdate(context, without, group(GATED))).toEqual([]);
  });

  it('loses the fields of disabled features, unless it has them', async () => {
    const created = group(GATED, { conditions: [] });
    await podGroups.strategy.prepareForCreate?.(context, created);
    expect(created).toEqual(group({ disruptionMode: 'Pod' }));
    const kept = group(GATED);
    await podGroups.strategy.prepareForUpdate?.(context, kept, group({ ...GATED, priority: 1 }));
    expect(kept).toEqual(group(GATED));
    const added = group(GATED);
    await podGroups.strategy.prepareForUpdate?.(context, added, group({ resourceClaims: [], priorityClassName: '' }));
    expect(added).toEqual(group({ disruptionMode: 'Pod' }));
  });

  it('has claims in its status only with claims in its spec', async () => {
    const status = { resourceClaimStatuses: [{ name: 'c' }, { name: 'd' }] };
    const without = group({}, structuredClone(status));
    await podGroupStatusStrategy.prepareForUpdate?.(context, without, group());
    expect(without.status).toEqual({});
    const object = group(GATED, structuredClone(status));
    await podGroupStatusStrategy.prepareForUpdate?.(context, object, group(GATED));
    expect(aggregateFieldErrors(podGroupStatusStrategy.validateUpdate(context, object, group(GATED)))).toBe(
      'status.resourceClaimStatuses[1].name: Invalid value: "d": must match the name of an entry in `spec.resourceClaims`',
    );
  });
});

describe('the claims in the status of a PodGroup', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const spec = { resourceClaims: names.map((name) => ({ name, resourceClaimName: 'r' })) };
  const CLAIMS = 'status.resourceClaimStatuses';
  const SUBDOMAIN =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

  it.each<[string, NonNullable<PodGroupStatus['resourceClaimStatuses']>, string]>([
    ['two', [{ name: 'a', resourceClaimName: 'g-a' }, { name: 'b' }], ''],
    ['one with an invalid name that it had', [{ name: 'e', resourceClaimName: 'E' }, { name: 'a' }], ''],
    [
      'one with an invalid name',
      [{ name: 'a', resourceClaimName: '' }],
      `${CLAIMS}[0].resourceClaimName: Invalid value: "": ${SUBDOMAIN}`,
    ],
    ['one twice', [{ name: 'a' }, { name: 'a' }], `${CLAIMS}[1]: Duplicate value: {"name":"a"}`],
    ['five', names.map((name) => ({ name })), `${CLAIMS}: Too many: 5: must have at most 4 items`],
  ])('%s', (_, resourceClaimStatuses, message) => {
    const old = group(spec, { resourceClaimStatuses: [{ name: 'e', resourceClaimName: 'E' }] });
    const changed = group(spec, { resourceClaimStatuses });
    expect(aggregateFieldErrors(podGroupStatusStrategy.validateUpdate(context, changed, old))).toBe(message);
  });
});

describe('with TopologyAwareWorkloadScheduling', () => {
  const { strategy } = define({ topology: true });
  const sharing = (...keys: string[]) => ({ schedulingConstraints: { topology: keys.map((key) => ({ key })) } });
  const TOPOLOGY = 'spec.schedulingConstraints.topology';

  it.each<[readonly string[], string]>([
    [[], ''],
    [['example.com/rack'], ''],
    [[''], `${TOPOLOGY}[0].key: Required value`],
    [['a', 'b'], `${TOPOLOGY}: Too many: 2: must have at most 1 item`],
    [['/a'], `${TOPOLOGY}[0].key: Invalid value: "/a": prefix part must be non-empty`],
  ])('pods share %j', (keys, message) => {
    expect(aggregateFieldErrors(strategy.validate(context, group(sharing(...keys))))).toBe(message);
  });

  it('an update changes no constraints', () => {
    const changed = group(sharing('row'));
    expect(aggregateFieldErrors(strategy.validateUpdate(context, changed, group(sharing('rack'))))).toBe(
      'spec.schedulingConstraints: Invalid value: null: field is immutable',
    );
  });

  it('a new group keeps its constraints', async () => {
    const created = group(GATED);
    await strategy.prepareForCreate?.(context, created);
    expect(created).toEqual(group({ ...sharing('rack'), disruptionMode: 'Pod' }));
  });
});

it('shows its policy, its workload and its state', () => {
  const condition = (type: string, status: string, reason = 'R') => ({
    type,
    status,
    reason,
    message: '',
    lastTransitionTime: '2026-01-02T03:04:05Z',
  });
  const cells = (spec: Partial<PodGroupSpec>, ...conditions: ReturnType<typeof condition>[]) =>
    podGroups.columns.map((column) => column.cell(group(spec, { conditions }), rowTime(0))).slice(1, 4);
  const gang = { schedulingPolicy: { gang: { minCount: 2 } } };
  const workload = { workloadName: 'w', podGroupTemplateName: 't' };
  expect([
    cells({ schedulingPolicy: { basic: {} } }),
    cells({ ...gang, podGroupTemplateRef: { workload } }, condition('PodGroupScheduled', 'False')),
    cells(gang, condition('PodGroupScheduled', 'False'), condition('PodGroupScheduled', 'True')),
    cells(gang, condition('PodGroupScheduled', 'True'), condition('DisruptionTarget', 'False', 'Preempted')),
  ]).toEqual([
    ['Basic', '<none>', 'Pending'],
    ['Gang', 'w', 'Unschedulable'],
    ['Gang', '<none>', 'Scheduled'],
    ['Gang', '<none>', 'Preempted'],
  ]);
});
