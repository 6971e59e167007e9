import { expect, it } from 'vitest';
import { compareKubeAwareVersions } from './kube-aware-version.js';

it('orders versions by maturity, then by number, others last', () => {
  const ordered = [
    'v10',
    'v2',
    'v1',
    'v2beta10',
    'v2beta2',
    'v1beta1',
    'v12alpha1',
    'v1alpha2',
    'foo1',
    'foo10',
    'v1x',
  ];
  expect(ordered.toReversed().sort(compareKubeAwareVersions)).toEqual(ordered);
});

it('takes any digits for a number, as long as it fits 64 bits', () => {
  const ordered = ['v9223372036854775807', 'v02', 'v1', 'v0', 'v01beta10', 'v1beta0', 'v1alpha01', 'V1'];
  const tooLarge = ['v1alpha9223372036854775808', 'v9223372036854775808'];
  expect([...tooLarge, ...ordered].sort(compareKubeAwareVersions)).toEqual([...ordered, ...tooLarge]);
});
