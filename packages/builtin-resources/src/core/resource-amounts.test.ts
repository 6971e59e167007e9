import { expect, it } from 'vitest';
import { sentPod } from '../testing/sent-pod.js';
import { validatePodResize } from './pod/resize-validation.js';
import { DEFAULT_POD_FEATURES } from './pod-spec/pod-features.js';
import { amountOf } from './resource-amounts.js';

it.each([
  ['cpu', '1'],
  ['memory', undefined],
  ['constructor', undefined],
])('the amount of %s', (name, text) => {
  expect(amountOf({ cpu: '1' }, name)?.toString()).toBe(text);
  expect(amountOf(undefined, name)).toBe(undefined);
});

it('a resize is given a resource with the name of a member of every object', () => {
  const pod = (requests: object) =>
    sentPod({ containers: [{ name: 'c', image: 'i', resources: { requests } }] }, {}, {});
  const errors = validatePodResize(pod({ cpu: '1', constructor: '1' }), pod({ cpu: '1' }), DEFAULT_POD_FEATURES);
  expect(errors.map(({ field }) => field)).toEqual([
    'spec.containers[0].resources.requests[constructor]',
    'spec.containers[0].resources.requests[constructor]',
    'spec',
  ]);
});
