import type { Lease, LeaseSpec } from '@apiserver/api/coordination/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { leases as leasesWith } from './index.js';

const leases = leasesWith({ enabled: () => false });
const coordinatedLeases = leasesWith({ enabled: (name) => name === 'CoordinatedLeaderElection' });

function lease(spec: LeaseSpec = {}): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '1', finalizers: ['unqualified'] },
    spec,
  };
}

it.each<[LeaseSpec, string]>([
  [{}, ''],
  [{ leaseDurationSeconds: 1, leaseTransitions: 0 }, ''],
  [{ leaseDurationSeconds: 0 }, 'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
  [{ leaseTransitions: -1 }, 'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0'],
  [{ strategy: 'OldestEmulationVersion', preferredHolder: 'a' }, ''],
  [{ strategy: 'example.com/Mine' }, ''],
  [
    { strategy: 'Mine' },
    'spec.strategy.strategy: Unsupported value: "Mine": supported values: "OldestEmulationVersion"',
  ],
  [{ strategy: '' }, 'spec.strategy.strategy: Unsupported value: "": supported values: "OldestEmulationVersion"'],
  [
    { strategy: '<a/b/c' },
    'spec.strategy.strategy: Invalid value: "\\u003ca/b/c": a valid label key must consist of alphanumeric characters, ' +
      "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or " +
      "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS " +
      "subdomain prefix and '/' (e.g. 'example.com/MyName')",
  ],
  [{ preferredHolder: 'a' }, 'spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined'],
])('%j: %j', (spec, message) => {
  expect(aggregateFieldErrors(leases.strategy.validate(testContext(), lease(spec)))).toBe(message);
  expect(aggregateFieldErrors(leases.strategy.validateUpdate(testContext(), lease(spec), lease()))).toBe(message);
});

it('drops fields of coordinated leader election, unless they are stored', async () => {
  const coordinated = () => lease({ strategy: 'OldestEmulationVersion', preferredHolder: 'b' });
  const created = coordinated();
  await leases.strategy.prepareForCreate?.(testContext(), created);
  const updated = coordinated();
  await leases.strategy.prepareForUpdate?.(testContext(), updated, lease({ strategy: 'x' }));
  expect([created.spec, updated.spec]).toEqual([{}, { strategy: 'OldestEmulationVersion' }]);
});

it('keeps these fields with the feature', async () => {
  const spec = { strategy: 'OldestEmulationVersion', preferredHolder: 'b' };
  const [created, updated] = [lease({ ...spec }), lease({ ...spec })];
  await coordinatedLeases.strategy.prepareForCreate?.(testContext(), created);
  await coordinatedLeases.strategy.prepareForUpdate?.(testContext(), updated, lease());
  expect([created.spec, updated.spec]).toEqual([spec, spec]);
});

it('shows its holder', () => {
  const now = rowTime('2030-01-01T00:01:00Z');
  const shown = (spec: LeaseSpec) => leases.columns.map((column) => column.cell(lease(spec), now));
  expect([shown({ holderIdentity: 'me' }), shown({})]).toEqual([
    ['a', 'me', '<unknown>'],
    ['a', '', '<unknown>'],
  ]);
});
