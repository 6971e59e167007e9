import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { storedDefinitions, testGroupDependencies } from '../../testing/group-dependencies.js';

const context = testContext({ namespace: 'ns' });
const POD_KINDS = [
  ...['CronJob', 'DaemonSet', 'Deployment', 'Job', 'Pod', 'PodTemplate', 'ReplicaSet', 'ReplicationController'],
  'StatefulSet',
];

function definitionOf(kind: string, schedulingGroups: boolean) {
  const { containers } = testGroupDependencies();
  const found = storedDefinitions({ containers: { ...containers, schedulingGroups } }).find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

/** An object of the kind whose pods belong to a group. */
function grouped(kind: string, podGroupName: string) {
  const spec = { containers: [{ name: 'c', image: 'i' }], schedulingGroup: { podGroupName } };
  const template = { metadata: { labels: { a: 'b' } }, spec };
  const selector = { matchLabels: { a: 'b' } };
  const specs: Readonly<Record<string, object>> = {
    Pod: { spec },
    StatefulSet: { spec: { selector, template, updateStrategy: {} } },
    PodTemplate: { template },
    CronJob: { spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } },
  };
  const metadata = { name: 'a', namespace: 'ns', generation: 1 };
  return structuredClone({
    apiVersion: 'v1',
    kind,
    metadata,
    status: {},
    ...(specs[kind] ?? { spec: { selector, template } }),
  });
}

const groupIn = (object: object) => /"podGroupName":"(\w+)"/.exec(JSON.stringify(object))?.[1];

it.each(POD_KINDS)('%s keeps the groups of its pods while they are enabled', async (kind) => {
  const kept = async (schedulingGroups: boolean) => {
    const { strategy } = definitionOf(kind, schedulingGroups);
    const created = grouped(kind, 'g');
    await strategy.prepareForCreate?.(context, created);
    const old = JSON.parse(JSON.stringify(grouped(kind, 'g')).replace(',"schedulingGroup":{"podGroupName":"g"}', ''));
    const updated = grouped(kind, 'h');
    await strategy.prepareForUpdate?.(context, updated, old);
    return [groupIn(created), groupIn(updated)];
  };
  expect([await kept(false), await kept(true)]).toEqual([
    [undefined, undefined],
    ['g', 'h'],
  ]);
});

it('counts a changed group as a change of the specification, and one without change as none', async () => {
  const { strategy } = definitionOf('Deployment', true);
  const generationOf = async (group: string) => {
    const updated = grouped('Deployment', group);
    await strategy.prepareForUpdate?.(context, updated, grouped('Deployment', 'g'));
    return updated.metadata.generation;
  };
  expect([await generationOf('g'), await generationOf('h')]).toEqual([1, 2]);
});

it.each([
  ['g', ''],
  ['G', 'Invalid value'],
])('a group named %s is checked', (name, fault) => {
  const { strategy } = definitionOf('Pod', true);
  const errors = strategy
    .validate(context, grouped('Pod', name))
    .filter(({ field }) => field.includes('schedulingGroup'));
  expect(errors.map(({ field, type }) => [field, type])).toEqual(
    fault === '' ? [] : [['spec.schedulingGroup.podGroupName', 'FieldValueInvalid']],
  );
});
