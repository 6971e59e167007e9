import type { StorageVersionMigration, StorageVersionMigrationStatus } from '@apiserver/api/storagemigration/v1beta1';
import { aggregateFieldErrors } from '@apiserver/apimachinery/field';
import { testContext } from '@apiserver/registry-store/testing';
import { rowTime } from '@apiserver/resource-kit';
import { describe, expect, it } from 'vitest';
import { storageMigrationGroup } from '../index.js';
import { storageVersionMigrations } from './index.js';

const TIME = '2026-01-02T03:04:05Z';
const context = testContext({ namespace: '' });
const { strategy, columns, subresources } = storageVersionMigrations;
const statusStrategy = subresources['status']?.strategy;

type Resource = StorageVersionMigration['spec']['resource'];
const DEPLOYMENTS = { group: 'apps', resource: 'deployments' };

function migration(
  resource: Resource = DEPLOYMENTS,
  status: StorageVersionMigrationStatus = {},
): StorageVersionMigration {
  return {
    apiVersion: 'storagemigration.k8s.io/v1beta1',
    kind: 'StorageVersionMigration',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
    spec: { resource },
    status: structuredClone(status),
  };
}

const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LONG = 'A'.repeat(64);

it.each<[string, Resource, string]>([
  ['deployments', DEPLOYMENTS, ''],
  ['pods', { group: '', resource: 'pods' }, ''],
  ['nothing', { group: '', resource: '' }, 'spec.resource.resource: Required value: resource is required to be set'],
  [
    'invalid names, with all faults of one in one error',
    { group: 'A', resource: LONG },
    `[spec.resource.resource: Invalid value: "${LONG}": must be no more than 63 characters,${LABEL}, spec.resource.group: Invalid value: "A": ${SUBDOMAIN}]`,
  ],
])('a new migration of %s', (_what, resource, message) => {
  expect(aggregateFieldErrors(strategy.validate(context, migration(resource)))).toBe(message);
});

it('begins without a status', () => {
  const made = migration(DEPLOYMENTS, { resourceVersion: '1' });
  void strategy.prepareForCreate?.(context, made);
  expect(made).toEqual(migration());
});

it.each<[string, Resource, string]>([
  ['the same resource', DEPLOYMENTS, ''],
  [
    'another resource',
    { group: 'apps', resource: 'daemonsets' },
    'spec: Invalid value: {"Resource":{"group":"apps","resource":"daemonsets"}}: field is immutable',
  ],
])('an update with %s', (_what, resource, message) => {
  const old = migration(DEPLOYMENTS, { resourceVersion: '1' });
  const changed = migration(resource);
  void strategy.prepareForUpdate?.(context, changed, old);
  expect([changed.status, aggregateFieldErrors(strategy.validateUpdate(context, changed, old))]).toEqual([
    old.status,
    message,
  ]);
});

const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastTransitionTime: TIME,
  reason: 'R',
  message: '',
});
const text = (...list: readonly ReturnType<typeof condition>[]) => JSON.stringify(list);
const at = (version: string, ...conditions: ReturnType<typeof condition>[]): StorageVersionMigrationStatus => ({
  resourceVersion: version,
  ...(conditions.length > 0 && { conditions }),
});
const VERSION = 'status.resourceVersion: Invalid value:';
const CONDITIONS = 'status.conditions: Invalid value:';
const [RUNNING, SUCCEEDED, FAILED] = ['Running', 'Succeeded', 'Failed'].map((type) => condition(type)) as [
  ReturnType<typeof condition>,
  ReturnType<typeof condition>,
  ReturnType<typeof condition>,
];

describe('the status', () => {
  it.each<[string, StorageVersionMigrationStatus, StorageVersionMigrationStatus, string]>([
    ['the first version', at('10', RUNNING), {}, ''],
    ['a version of any size', at('1'.repeat(50)), {}, ''],
    ['no version', {}, {}, `${VERSION} "": resource version is not well formed: `],
    ['version 0', at('0'), {}, `${VERSION} "0": resource version is not well formed: 0`],
    ['a leading zero', at('01'), {}, `${VERSION} "01": resource version is not well formed: 01`],
    ['no digits', at('1a'), {}, `${VERSION} "1a": resource version is not well formed: 1a`],
    ['another version', at('11'), at('10'), `${VERSION} "11": field is immutable`],
    [
      'an end of two kinds that still runs',
      at('10', SUCCEEDED, FAILED, RUNNING),
      at('10'),
      `[${CONDITIONS} ${text(SUCCEEDED, FAILED, RUNNING)}: Both success and failed conditions cannot be true at the same time, ${CONDITIONS} ${text(SUCCEEDED, FAILED, RUNNING)}: Running condition cannot be true when success condition is true, ${CONDITIONS} ${text(SUCCEEDED, FAILED, RUNNING)}: Running condition cannot be true when failed condition is true]`,
    ],
    [
      'no success any more',
      at('10'),
      at('10', SUCCEEDED),
      `${CONDITIONS} null: Success condition cannot be set to false once it is true`,
    ],
    [
      'no failure any more',
      at('10', condition('Failed', 'False')),
      at('10', FAILED),
      `${CONDITIONS} ${text(condition('Failed', 'False'))}: Failed condition cannot be set to false once it is true`,
    ],
    [
      'a condition twice, of which the first counts',
      at('10', condition('Succeeded', 'False'), SUCCEEDED, RUNNING),
      at('10'),
      'status.conditions[1].type: Duplicate value: "Succeeded"',
    ],
    [
      'an empty condition',
      {
        resourceVersion: '10',
        conditions: [{ type: 'A', status: '', lastTransitionTime: null, reason: '', message: '' }],
      },
      {},
      '[status.conditions[0].status: Unsupported value: "": supported values: "False", "True", "Unknown", status.conditions[0].lastTransitionTime: Required value, status.conditions[0].reason: Required value]',
    ],
  ])('%s', (_what, status, old, message) => {
    const errors = statusStrategy?.validateUpdate(context, migration(DEPLOYMENTS, status), migration(DEPLOYMENTS, old));
    expect(aggregateFieldErrors(errors ?? [])).toBe(message);
  });

  it('changes alone', () => {
    const changed = migration({ group: '', resource: 'pods' }, at('10'));
    changed.metadata.labels = { a: 'b' };
    void statusStrategy?.prepareForUpdate?.(context, changed, migration());
    expect(changed).toEqual(migration(DEPLOYMENTS, at('10')));
  });
});

it('shows its resource and its last state', () => {
  const cells = (object: StorageVersionMigration) => columns.map((column) => column.cell(object, rowTime(0)));
  expect([
    cells(migration({ group: '', resource: 'pods' })),
    cells(migration(DEPLOYMENTS, at('1', RUNNING, condition('Succeeded', 'False')))),
    cells(migration(DEPLOYMENTS, at('1', RUNNING, SUCCEEDED, condition('Odd')))),
  ]).toEqual([
    ['a', 'pods', 'Unknown'],
    ['a', 'deployments.apps', 'Running'],
    ['a', 'deployments.apps', 'Succeeded'],
  ]);
});

it.each([true, false])('is served with the gate StorageVersionMigrator: %s', (enabled) => {
  const { resources } = storageMigrationGroup({
    features: { enabled: (name) => enabled && name === 'StorageVersionMigrator' },
    install: (definition) => ({ definition, storage: {}, subresources: {} }),
    clock: { now: () => 0 },
  });
  expect(resources.length).toBe(enabled ? 1 : 0);
});
