import type { Container, PodSpec } from '@apiserver/api/core/v1';
import { type Amounts, addAmounts, amountsOf, raiseAmounts } from '@apiserver/apimachinery/values';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printAmounts } from '../quota/amounts.js';
import { container, pod } from '../testing/sample-objects.js';
import { containerResources, hasPodResources, isBestEffortPod } from './pod-resources.js';

it.each([
  ['cpu', true],
  ['memory', true],
  ['hugepages-2Mi', true],
  ['ephemeral-storage', false],
  ['example.com/device', false],
])('a pod has resources of its own with %s: %s', (name, expected) => {
  const [requests, limits] = [{ requests: { [name]: '1' } }, { limits: { [name]: '1' } }];
  expect([requests, limits].map((resources) => hasPodResources(pod({ resources }).spec))).toEqual([expected, expected]);
});

it('has none without amounts', () => {
  expect([pod(), pod({ resources: {} })].map(({ spec }) => hasPodResources(spec))).toEqual([false, false]);
});

const needs = (cpu: string, changes: Partial<Container> = {}) =>
  container({ resources: { requests: { cpu }, limits: { memory: cpu } }, ...changes });
const always = { restartPolicy: 'Always' };

it.each<[string, Partial<PodSpec>, string]>([
  ['the sum of its containers', { containers: [needs('1'), needs('2')] }, '3'],
  ['an init container that needs more', { containers: [needs('1')], initContainers: [needs('5'), needs('4')] }, '5'],
  ['no init container that needs less', { containers: [needs('3')], initContainers: [needs('2')] }, '3'],
  ['restartable init containers too', { containers: [needs('1')], initContainers: [needs('2', always)] }, '3'],
  [
    'an init container beside the restartable ones before it',
    { containers: [needs('1')], initContainers: [needs('2', always), needs('7'), needs('4', always)] },
    '9',
  ],
  [
    'sums in the notation of the init container that ends',
    { containers: [], initContainers: [needs('2k', always), needs('1e3')] },
    '3e3',
  ],
  [
    'the restartable ones at once',
    { containers: [], initContainers: [needs('2', always), needs('3', always), needs('4')] },
    '9',
  ],
])('a pod needs %s', (_, changes, expected) => {
  const { spec } = pod(changes);
  expect([
    printAmounts(containerResources(spec, 'requests')),
    printAmounts(containerResources(spec, 'limits')),
  ]).toEqual([`cpu=${expected}`, `memory=${expected}`]);
});

it.each<[string, Partial<PodSpec>, boolean]>([
  ['without resources', {}, true],
  ['that asks for cpu', { containers: [container(), container({ resources: { requests: { cpu: '1' } } })] }, false],
  ['that limits memory', { containers: [container({ resources: { limits: { memory: '1' } } })] }, false],
  ['that asks for zero', { containers: [container({ resources: { requests: { cpu: '0' } } })] }, true],
  ['that asks for a device', { containers: [container({ resources: { limits: { 'a.b/gpu': '1' } } })] }, true],
  ['whose init container asks', { initContainers: [container({ resources: { requests: { cpu: '1' } } })] }, false],
  ['that asks as a whole', { resources: { requests: { cpu: '1' } } }, false],
  [
    'that asks for zero as a whole',
    { resources: { limits: { memory: '0' } }, containers: [container({ resources: { requests: { cpu: '1' } } })] },
    true,
  ],
])('a pod %s is of best effort or not', (_, changes, expected) => {
  expect(isBestEffortPod(pod(changes).spec)).toBe(expected);
});

it('needs what a sum of all amounts for each init container says', () => {
  const naive = ({ containers, initContainers }: PodSpec) => {
    const sums: Amounts = new Map();
    const restartable: Amounts = new Map();
    const greediest: Amounts = new Map();
    for (const { resources } of containers ?? []) addAmounts(sums, amountsOf(resources.requests));
    for (const { resources, restartPolicy } of initContainers ?? []) {
      const amounts = amountsOf(resources.requests);
      if (restartPolicy === 'Always') {
        addAmounts(sums, amounts);
        addAmounts(restartable, amounts);
        raiseAmounts(greediest, restartable);
      } else {
        addAmounts(amounts, restartable);
        raiseAmounts(greediest, amounts);
      }
    }
    raiseAmounts(sums, greediest);
    return sums;
  };
  const name = fc.constantFrom('cpu', 'memory', 'a.b/c');
  const requests = fc.dictionary(name, fc.integer({ min: -2, max: 9 }).map(String));
  const one = fc
    .tuple(requests, fc.constantFrom({}, always))
    .map(([amounts, changes]) => container({ resources: { requests: amounts }, ...changes }));
  const several = fc.array(one, { maxLength: 6 });
  fc.assert(
    fc.property(several, several, (containers, initContainers) => {
      const { spec } = pod({ containers, initContainers });
      expect(printAmounts(containerResources(spec, 'requests'))).toBe(printAmounts(naive(spec)));
    }),
  );
});
