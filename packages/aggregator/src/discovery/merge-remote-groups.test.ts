import type { APIGroupDiscovery, APIVersionDiscovery } from '@apiserver/api/apidiscovery/v2';
import { expect, it } from 'vitest';
import { mergeRemoteGroups } from './merge-remote-groups.js';

const group = (name: string, ...versions: readonly APIVersionDiscovery[]): APIGroupDiscovery => ({
  kind: '',
  apiVersion: '',
  metadata: { name },
  versions: [...versions],
});
const current = (version: string): APIVersionDiscovery => ({
  version,
  resources: [{ resource: 'bars', scope: 'Cluster', singularResource: 'bar', verbs: [] }],
  freshness: 'Current',
});
const stale = (version: string): APIVersionDiscovery => ({ version, resources: [], freshness: 'Stale' });
const priorityOf = () => ({ group: 1000, version: 15 });

// Upstream: CRDAPIServiceOverlap in test/integration/apiserver/discovery/discovery_test.go
it('takes a version of both from the remote server, which serves it', () => {
  const list = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: [group('a.example.com', current('v1')), group('b.example.com', current('v2'), current('v1'))],
  };
  const remote = [group('b.example.com', stale('v1')), group('c.example.com', current('v1'))];
  expect(mergeRemoteGroups(list, remote, priorityOf).items).toEqual([
    group('a.example.com', current('v1')),
    group('b.example.com', current('v2'), stale('v1')),
    group('c.example.com', current('v1')),
  ]);
});
