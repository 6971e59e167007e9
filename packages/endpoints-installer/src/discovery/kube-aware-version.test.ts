import { expect, it } from 'vitest';
import { compareKubeAwareVersions } from './kube-aware-version.js';

it('orders versions by maturity, then by number, others last', () => {
  const ordered = ['v10', 'v2', 'v1', 'v2beta10', 'v2beta2', 'v1beta1', 'v12alpha1', 'v1alpha2', 'foo1', 'foo10', 'v0'];
  expect(ordered.toReversed().sort(compareKubeAwareVersions)).toEqual(ordered);
});
