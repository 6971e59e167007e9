import { expect, it } from 'vitest';
import { pod } from '../testing/sample-objects.js';
import { hasPodResources } from './pod-resources.js';

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
