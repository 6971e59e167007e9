import type { Pod, PodSpec } from '@apiserver/api/core/v1';
import type { PriorityClass } from '@apiserver/api/scheduling/v1';
import { expect, it } from 'vitest';
import { objectAttributes } from '../testing/attributes.js';
import { testPluginDependencies } from '../testing/plugin-dependencies.js';
import { runPlugin } from '../testing/run-plugin.js';
import { container, pod } from '../testing/sample-objects.js';
import { priority } from './priority.js';

function priorityClass(name: string, changes: Partial<PriorityClass> = {}): PriorityClass {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value: 7,
    preemptionPolicy: 'Never',
    ...changes,
  };
}

const plugin = (...classes: PriorityClass[]) => priority(testPluginDependencies({ priorityclasses: classes }));
const containers = [container()];
const forbidden = (fault: string) => `pods "p" is forbidden: ${fault}`;

it.each<[string, Partial<PodSpec>, PriorityClass[], Partial<PodSpec> | string]>([
  ['no class', {}, [], { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
  ['its class', { priorityClassName: 'a' }, [priorityClass('a')], { priority: 7, preemptionPolicy: 'Never' }],
  [
    'the default class',
    {},
    [priorityClass('a'), priorityClass('b', { value: 3, globalDefault: true })],
    { priorityClassName: 'b', priority: 3, preemptionPolicy: 'Never' },
  ],
  [
    'the least of two default classes',
    {},
    [priorityClass('a', { globalDefault: true }), priorityClass('b', { value: 3, globalDefault: true })],
    { priorityClassName: 'b', priority: 3 },
  ],
  ['the same number', { priorityClassName: 'a', priority: 7 }, [priorityClass('a')], { priority: 7 }],
  ['a class that is missing', { priorityClassName: 'a' }, [], forbidden('no PriorityClass with name a was found')],
  [
    'another number',
    { priority: 5 },
    [],
    forbidden(
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ),
  ],
  [
    'another policy',
    { priorityClassName: 'a', preemptionPolicy: 'PreemptLowerPriority' },
    [priorityClass('a')],
    forbidden(
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    ),
  ],
])('a pod with %s', async (_what, spec, classes, expected) => {
  const outcome = await runPlugin(plugin(...classes), objectAttributes('pods', pod(spec)));
  if (typeof expected === 'string') expect(outcome).toEqual({ refused: expected });
  else expect(outcome).toMatchObject({ object: { spec: { containers, ...spec, ...expected } } });
});

it('keeps fields that an update of a pod omits', async () => {
  const oldObject = pod({ priority: 7, preemptionPolicy: 'Never' });
  const outcome = await runPlugin(plugin(), objectAttributes('pods', pod(), { oldObject }));
  expect((outcome as { object: Pod }).object.spec).toEqual(oldObject.spec);
});

it('leaves fields that an update of a pod changes to validation', async () => {
  const oldObject = pod({ priority: 7, preemptionPolicy: 'Never' });
  const spec = { priority: 9, preemptionPolicy: 'PreemptLowerPriority' };
  const outcome = await runPlugin(plugin(), objectAttributes('pods', pod(spec), { oldObject }));
  expect((outcome as { object: Pod }).object.spec).toEqual(pod(spec).spec);
});

it('admits any class beside the default one that is none itself', async () => {
  for (const changes of [{}, { globalDefault: false }]) {
    const object = priorityClass('a', changes);
    const attributes = objectAttributes('priorityclasses.scheduling.k8s.io', object, { namespace: '' });
    expect(await runPlugin(plugin(priorityClass('b', { globalDefault: true })), attributes)).toEqual({ object });
  }
});

it.each<[string, PriorityClass[], PriorityClass | undefined, boolean]>([
  ['the first default class', [priorityClass('b')], undefined, true],
  ['a second default class', [priorityClass('b', { globalDefault: true })], undefined, false],
  ['a default class of the same name', [priorityClass('a', { globalDefault: true })], undefined, false],
  ['an update that makes a second one', [priorityClass('b', { globalDefault: true })], priorityClass('a'), false],
  [
    'an update of the one there is',
    [priorityClass('a', { globalDefault: true })],
    priorityClass('a', { globalDefault: true }),
    true,
  ],
])('%s', async (_what, classes, oldObject, isAllowed) => {
  const changes = { namespace: '', ...(oldObject && { oldObject }) };
  const object = priorityClass('a', { globalDefault: true });
  const outcome = await runPlugin(
    plugin(...classes),
    objectAttributes('priorityclasses.scheduling.k8s.io', object, changes),
  );
  const known = classes[0]?.metadata.name;
  const refused = `priorityclasses.scheduling.k8s.io "a" is forbidden: PriorityClass ${known} is already marked as default. Only one default can exist`;
  expect(outcome).toEqual(isAllowed ? { object } : { refused });
});
