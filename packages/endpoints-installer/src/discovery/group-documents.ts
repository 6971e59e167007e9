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

/** How `/apis` introduces itself: as a server of its own, or as the aggregator in front of kube-apiserver. */
export interface GroupListStyle {
  /** Written with each group; undefined: not at all, as the aggregator. */
  readonly addresses: readonly ServerAddressByClientCIDR[] | undefined;
}

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
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery/root.go, k8s.io/kube-aggregator/pkg/apiserver/handler_apis.go
 */
export function apiGroupList(groups: readonly ServedGroup[], { addresses }: GroupListStyle): APIGroupList {
  return {
    kind: 'APIGroupList',
    apiVersion: addresses === undefined ? 'v1' : '',
    groups: groups.map((group) => ({
      ...groupBody(group),
      ...(addresses !== undefined && { serverAddressByClientCIDRs: [...addresses] }),
    })),
  };
}

/** `/apis/<group>`. */
export function apiGroup(group: ServedGroup): APIGroup {
  return { ...groupBody(group), kind: 'APIGroup', apiVersion: documentVersion(group.group) };
}

/** `/api/v1` and `/apis/<group>/<version>`. */
export function apiResourceList({ group }: ServedGroup, served: ServedVersion): APIResourceList {
  return {
    kind: 'APIResourceList',
    apiVersion: documentVersion(group),
    groupVersion: formatGroupVersion({ group, version: served.version }),
    resources: apiResources(served),
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

/** The oldest groups answer without apiVersion, for clients from before there was one. */
function documentVersion(group: string): string {
  return group === '' || group === 'extensions' ? '' : 'v1';
}
