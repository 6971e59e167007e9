import type { Container, PodSpec } from '@apiserver/api/core/v1';
import { WorkCounter } from '@apiserver/apimachinery/testing';
import { type Amounts, addAmounts, amountsOf, raiseAmounts } from '@apiserver/apimachinery/values';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { containerResources } from './container-resources.js';

const work = new WorkCounter();
afterAll(() => work[Symbol.dispose]());

const container = (changes: Partial<Container> = {}): Container => ({
  name: 'c',
  image: 'i',
  resources: {},
  ...changes,
});

const printAmounts = (amounts: Amounts) =>
  [...amounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}=${amount}`)
    .join(',');

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
  const spec = { containers: [container()], ...changes };
  expect([
    printAmounts(containerResources(spec, 'requests')),
    printAmounts(containerResources(spec, 'limits')),
  ]).toEqual([`cpu=${expected}`, `memory=${expected}`]);
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
      const spec = { containers, initContainers };
      expect(printAmounts(containerResources(spec, 'requests'))).toBe(printAmounts(naive(spec)));
    }),
  );
});

it('takes work in proportion to the init containers, even if each has a resource of its own', () => {
  const resources = (i: number) => ({ requests: { [`a.b/r${i}`]: '1' } });
  const workOf = (length: number) => {
    const initContainers = Array.from({ length }, (_, i) => container({ resources: resources(i), ...always }));
    return work.count(() => containerResources({ containers: [], initContainers }, 'requests'));
  };
  expect(workOf(1_000) / workOf(100)).toBeLessThan(20);
});
