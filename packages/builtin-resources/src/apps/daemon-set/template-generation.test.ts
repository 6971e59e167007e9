import type { DaemonSet } from '@apiserver/api/apps/v1';
import { testContext } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { DEFAULT_POD_FEATURES } from '../../core/pod-spec/pod-features.js';
import { daemonSetStrategies } from './strategy.js';

import { normalizeTemplateGeneration } from './template-generation.js';

const ANNOTATION = 'deprecated.daemonset.template.generation';
const context = testContext({ namespace: 'ns' });
const { main: daemonSetStrategy, status: daemonSetStatusStrategy } = daemonSetStrategies(DEFAULT_POD_FEATURES);

function daemonSet(generation?: string, priorityClassName = 'a'): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      name: 'a',
      namespace: 'ns',
      generation: 3,
      ...(generation !== undefined && { annotations: { [ANNOTATION]: generation } }),
    },
    spec: {
      selector: {},
      template: { metadata: {}, spec: { containers: [{ name: 'c', resources: {} }], priorityClassName } },
      updateStrategy: {},
    },
    status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  };
}

it.each([
  [undefined, '1'],
  ['0', '1'],
  ['-5', '1'],
  ['7', '7'],
  ['+007', '7'],
])('%s becomes %s on create', async (stated, expected) => {
  const created = daemonSet(stated);
  await daemonSetStrategy.prepareForCreate?.(context, created);
  expect(created.metadata.annotations?.[ANNOTATION]).toBe(expected);
});

it('is the old one on an update, plus one for a new template', async () => {
  const [same, changed, status] = [daemonSet('9'), daemonSet('9', 'b'), daemonSet('9')];
  await daemonSetStrategy.prepareForUpdate?.(context, same, daemonSet('7'));
  await daemonSetStrategy.prepareForUpdate?.(context, changed, daemonSet('7'));
  await daemonSetStatusStrategy.prepareForUpdate?.(context, status, daemonSet('7'));
  expect([same, changed, status].map(({ metadata }) => metadata.annotations?.[ANNOTATION])).toEqual(['7', '8', '7']);
});

it('overflows like an integer of 64 bits', async () => {
  const changed = daemonSet(undefined, 'b');
  await daemonSetStrategy.prepareForUpdate?.(context, changed, daemonSet('9223372036854775807'));
  expect(changed.metadata.annotations?.[ANNOTATION]).toBe('-9223372036854775808');
});

it('decides whether warnings of the template are due', () => {
  const warned = (now: DaemonSet) => {
    Object.assign(now.spec.template.spec, { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } });
    return daemonSetStrategy.warningsOnUpdate?.(context, now, daemonSet('7'));
  };
  const other = daemonSet('7');
  other.metadata.generation = 4;
  expect([warned(daemonSet('8')), warned(other)]).toEqual([
    ['spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead'],
    [],
  ]);
});

it.each([
  ['x', 'strconv.ParseInt: parsing "x": invalid syntax'],
  ['', 'strconv.ParseInt: parsing "": invalid syntax'],
  ['9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ['-9223372036854775809', 'strconv.ParseInt: parsing "-9223372036854775809": value out of range'],
])('%j is a bad request', (stated, fault) => {
  expect(() => normalizeTemplateGeneration(daemonSet(stated))).toThrow(
    `DaemonSet in version "v1" cannot be handled as a DaemonSet: ${fault}`,
  );
});

it.each([
  [undefined, '0'],
  ['5', '5'],
  ['+007', '7'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9223372036854775807', '9223372036854775807'],
])('%j is read as %s', (stated, expected) => {
  const set = daemonSet(stated);
  normalizeTemplateGeneration(set);
  expect(set.metadata.annotations).toEqual({ [ANNOTATION]: expected });
});
