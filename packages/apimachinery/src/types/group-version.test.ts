import { expect, it } from 'vitest';
import {
  formatGroupKind,
  formatGroupResource,
  formatGroupVersion,
  formatGroupVersionKind,
  formatGroupVersionResource,
  groupVersionKindOf,
  parseGroupVersion,
} from './group-version.js';

it.each([
  ['', { group: '', version: '' }],
  ['/', { group: '', version: '' }],
  ['v1', { group: '', version: 'v1' }],
  ['apps/v1', { group: 'apps', version: 'v1' }],
  ['/v1', { group: '', version: 'v1' }],
  ['apps/', { group: 'apps', version: '' }],
])('parses apiVersion %o', (text, gv) => {
  expect(parseGroupVersion(text)).toEqual(gv);
});

it('rejects two slashes with upstream’s text, or leaves the group open', () => {
  expect(() => parseGroupVersion('a/b/c')).toThrow('unexpected GroupVersion string: a/b/c');
  expect(groupVersionKindOf({ apiVersion: 'a/b/c', kind: 'K' })).toEqual({ group: '', version: '', kind: 'K' });
});

it('formats versions, resources and kinds with their group', () => {
  expect([
    formatGroupVersion({ group: '', version: 'v1' }),
    formatGroupVersion({ group: 'apps', version: 'v1' }),
    formatGroupResource({ group: 'apps', resource: 'deployments' }),
    formatGroupResource({ group: '', resource: 'pods' }),
    formatGroupKind({ group: 'apps', kind: 'Deployment' }),
    formatGroupVersionKind({ group: '', version: 'v1', kind: 'Event' }),
    formatGroupVersionResource({ group: 'apps', version: 'v1', resource: 'deployments' }),
  ]).toEqual([
    'v1',
    'apps/v1',
    'deployments.apps',
    'pods',
    'Deployment.apps',
    '/v1, Kind=Event',
    'apps/v1, Resource=deployments',
  ]);
});
