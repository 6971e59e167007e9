import type { CSIDriver, CSIDriverSpec } from '@apiserver/api/storage/v1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { expect, it } from 'vitest';
import { csiDrivers } from './index.js';

const context = testContext({ namespace: '' });
const { strategy, versions, columns } = csiDrivers;

function csiDriver(spec: CSIDriverSpec = {}): CSIDriver {
  const made: CSIDriver = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name: 'd.example.com', uid: 'u', resourceVersion: '1' },
    spec: structuredClone(spec),
  };
  versions[0]?.applyDefaults?.(made);
  return made;
}

it('defaults to attachment, no pod info on mount, and persistent volumes', () => {
  expect(csiDriver().spec).toEqual({
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  });
});

it.each<[string, CSIDriverSpec, string]>([
  ['the smallest', {}, ''],
  [
    'everything',
    {
      fsGroupPolicy: 'None',
      volumeLifecycleModes: ['Ephemeral'],
      tokenRequests: [{ audience: '' }, { audience: 'a', expirationSeconds: 600 }],
      nodeAllocatableUpdatePeriodSeconds: 10,
      serviceAccountTokenInSecrets: true,
    },
    '',
  ],
  [
    'another policy',
    { fsGroupPolicy: 'x' },
    'spec.fsGroupPolicy: Unsupported value: "x": supported values: "File", "None", "ReadWriteOnceWithFSType"',
  ],
  [
    'another mode',
    { volumeLifecycleModes: ['x'] },
    'spec.volumeLifecycleModes: Unsupported value: "x": supported values: "Persistent", "Ephemeral"',
  ],
  [
    'an audience twice',
    { tokenRequests: [{ audience: 'a' }, { audience: 'a', expirationSeconds: 1 }] },
    'spec.tokenRequests[1].audience: Duplicate value: "a"',
  ],
  [
    'tokens that are too short',
    { tokenRequests: [{ audience: 'a', expirationSeconds: 599 }] },
    'spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  [
    'tokens that are too long',
    { tokenRequests: [{ audience: 'a', expirationSeconds: 2 ** 32 + 1 }] },
    'spec.tokenRequests[0].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
  ],
  [
    'updates that are too frequent',
    { nodeAllocatableUpdatePeriodSeconds: 9 },
    'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds',
  ],
  [
    'no tokens to place',
    { serviceAccountTokenInSecrets: false },
    'spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
  ],
])('%s', (_what, spec, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, csiDriver(spec)))).toBe(message);
});

it.each<[string, CSIDriverSpec, string]>([
  ['a period', { nodeAllocatableUpdatePeriodSeconds: 20 }, ''],
  [
    'what stays',
    { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] },
    '[spec.attachedRequired: Invalid value: false: field is immutable, spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable]',
  ],
])('updated by %s', (_what, spec, message) => {
  expect(aggregateFieldErrors(strategy.validateUpdate(context, csiDriver(spec), csiDriver()))).toBe(message);
});

it('refuses a changed driver for each fault once', () => {
  const errors = strategy.validateUpdate(context, csiDriver({ fsGroupPolicy: 'x' }), csiDriver());
  expect(errors.map(({ field }) => field)).toEqual(['spec.fsGroupPolicy']);
});

it.each<[string, CSIDriverSpec, CSIDriverSpec, [number, number]]>([
  ['no tokens', {}, { tokenRequests: [{ audience: 'a' }] }, [0, 0]],
  ['tokens', { tokenRequests: [{ audience: 'a' }] }, {}, [1, 1]],
  ['the same tokens', { tokenRequests: [{ audience: 'a' }] }, { tokenRequests: [{ audience: 'a' }] }, [1, 0]],
  ['tokens in attributes', { tokenRequests: [{ audience: 'a' }], serviceAccountTokenInSecrets: false }, {}, [0, 0]],
])('warns of %s that may be logged', (_what, spec, old, counts) => {
  const created = strategy.warningsOnCreate?.(context, csiDriver(spec));
  const updated = strategy.warningsOnUpdate?.(context, csiDriver(spec), csiDriver(old));
  expect([created?.length, updated?.length]).toEqual(counts);
});

it('increments the generation of changed drivers, and keeps a field of a disabled feature only if stored', () => {
  const driver = csiDriver({ preventPodSchedulingIfMissing: true });
  void strategy.prepareForCreate?.(context, driver);
  expect([driver.metadata.generation, driver.spec.preventPodSchedulingIfMissing]).toEqual([undefined, undefined]);
  const old = csiDriver({ preventPodSchedulingIfMissing: false });
  const update = csiDriver({ preventPodSchedulingIfMissing: true });
  void strategy.prepareForUpdate?.(context, update, old);
  expect([update.metadata.generation, update.spec.preventPodSchedulingIfMissing]).toEqual([1, true]);
  const same = csiDriver();
  void strategy.prepareForUpdate?.(context, same, csiDriver());
  expect(same.metadata.generation).toBeUndefined();
});

it('shows its requirements', () => {
  const now = rowTime('2030-01-01T00:01:00Z');
  const cells = (spec: CSIDriverSpec) => columns.map((column) => column.cell(csiDriver(spec), now));
  expect(cells({})).toEqual(['d.example.com', true, false, false, '<unset>', false, 'Persistent', '<unknown>']);
  expect(cells({ tokenRequests: [{ audience: 'a' }, { audience: 'b' }] })[4]).toBe('a,b');
});
