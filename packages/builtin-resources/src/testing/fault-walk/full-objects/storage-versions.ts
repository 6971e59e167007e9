import type { FullObject } from '../full-object.js';

const TIME = '2030-01-01T00:00:00Z';
const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'R',
  message: 'm',
  lastTransitionTime: TIME,
});
const SERVER = {
  apiServerID: 'a',
  encodingVersion: 'apps/v1',
  decodableVersions: ['apps/v1', 'apps/v1beta1'],
  servedVersions: ['apps/v1'],
};
const servers = (...list: readonly object[]) => ({
  'status.storageVersions': list.map((server, i) => ({ ...SERVER, apiServerID: `s${i}`, ...server })),
});
const migrated = (...conditions: readonly object[]) => ({ 'status.conditions': conditions });

export const storageVersionObjects: readonly FullObject[] = [
  {
    apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
    kind: 'StorageVersion',
    name: 'apps.deployments',
    fields: {
      spec: {},
      status: {
        storageVersions: [SERVER],
        commonEncodingVersion: 'apps/v1',
        conditions: [condition('AllEncodingVersionsEqual')],
      },
    },
    also: [
      servers(),
      servers({}, {}),
      servers({}, { apiServerID: 's0' }),
      servers({}, { encodingVersion: 'apps/v1beta1' }),
      { ...servers({}, { encodingVersion: 'apps/v1beta1' }), 'status.commonEncodingVersion': undefined },
      { 'status.commonEncodingVersion': undefined },
      servers({ apiServerID: 'A' }),
      servers({ encodingVersion: '' }),
      servers({ decodableVersions: undefined }),
      servers({ decodableVersions: ['apps/v1', '/v1', 'apps/', 'a/b/c', 'A/B'] }),
      servers({ servedVersions: ['apps/v2', 'V1'] }),
      { 'status.conditions': [condition('A'), condition('B'), condition('A'), condition('A')] },
      { 'status.conditions': [{ type: '', status: '?', reason: '', message: '' }] },
    ],
  },
  {
    apiVersion: 'storagemigration.k8s.io/v1beta1',
    kind: 'StorageVersionMigration',
    fields: {
      spec: { resource: { group: 'apps', resource: 'deployments' } },
      status: { resourceVersion: '10', conditions: [condition('Running')] },
    },
    also: [
      { 'spec.resource': { group: '', resource: 'pods' } },
      { 'spec.resource': { group: 'A'.repeat(254), resource: 'A'.repeat(64) } },
      ...['', '0', '01', '1a', '-1', '11', '1'.repeat(40)].map((version) => ({ 'status.resourceVersion': version })),
      migrated(),
      migrated(condition('Succeeded')),
      migrated(condition('Succeeded'), condition('Failed')),
      migrated(condition('Succeeded'), condition('Running')),
      migrated(condition('Failed'), condition('Running')),
      migrated(condition('Succeeded', 'False'), condition('Succeeded'), condition('Running')),
      migrated({ type: 'Odd' }),
    ],
  },
  {
    apiVersion: 'storagemigration.k8s.io/v1beta1',
    kind: 'StorageVersionMigration',
    name: 'ended',
    skipped: ['spec'],
    fields: {
      spec: { resource: { group: 'apps', resource: 'deployments' } },
      status: { resourceVersion: '10', conditions: [condition('Succeeded')] },
    },
    also: [migrated(), migrated(condition('Failed')), migrated(condition('Succeeded', 'False'))],
  },
];
