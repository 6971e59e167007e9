import type {
  APIGroup,
  APIGroupList,
  APIResourceList,
  APIVersions,
  GroupVersionForDiscovery,
  ServerAddressByClientCIDR,
} from '@apiserver/api/meta/v1';
import { formatGroupVersion } from '@apiserver/apimachinery';
import { apiResources } from './api-resources.js';
import type { ServedGroup, ServedVersion } from './served-group.js';

/** `/api`: the versions of the core group. */
export function apiVersions(core: ServedGroup, addresses: readonly ServerAddressByClientCIDR[]): APIVersions {
  return {
    kind: 'APIVersions',
    apiVersion: '',
    versions: core.versions.map(({ version }) => version),
    serverAddressByClientCIDRs: [...addresses],
  };
}

/**
 * `/apis`: the groups in the order given.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery/root.go
 */
export function apiGroupList(
  groups: readonly ServedGroup[],
  addresses: readonly ServerAddressByClientCIDR[],
): APIGroupList {
  return {
    kind: 'APIGroupList',
    apiVersion: '',
    groups: groups.map((group) => ({ ...groupBody(group), serverAddressByClientCIDRs: [...addresses] })),
  };
}

/** `/apis/<group>`. */
export function apiGroup(group: ServedGroup): APIGroup {
  return { ...groupBody(group), kind: 'APIGroup', apiVersion: documentVersion(group.group) };
}

/** `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList({ group }: ServedGroup, served: ServedVersion, hasHashes?: boolean): APIResourceList {
  return {
    kind: 'APIResourceList',
    apiVersion: documentVersion(group),
    groupVersion: formatGroupVersion({ group, version: served.version }),
    resources: apiResources(served, hasHashes),
  };
}

function groupBody({ group, versions }: ServedGroup): APIGroup {
  const offered = versions.map(({ version }) => forDiscovery(group, version));
  return {
    kind: '',
    apiVersion: '',
    name: group,
    versions: offered,
    preferredVersion: offered[0] ?? { groupVersion: '', version: '' },
  };
}

function forDiscovery(group: string, version: string): GroupVersionForDiscovery {
  return { groupVersion: formatGroupVersion({ group, version }), version };
}

/** Documents of the oldest groups have no apiVersion, for old clients. */
function documentVersion(group: string): string {
  return group === '' || group === 'extensions' ? '' : 'v1';
}
