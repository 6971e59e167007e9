import type { PodSpec } from '@apiserver/api/core/v1';
import { expect, it } from 'vitest';
import { container, pod } from '../testing/sample-objects.js';
import { hasPodResources, isBestEffortPod } from './pod-resources.js';

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
