import type {
  APIGroupDiscovery,
  APIGroupDiscoveryList,
  APIResourceDiscovery,
  APISubresourceDiscovery,
  APIVersionDiscovery,
} from '@apiserver/api/apidiscovery/v2';
import type { GroupVersion, GroupVersionKind } from '@apiserver/apimachinery';
import type { InstalledResource } from '@apiserver/apiserver-contracts';
import { kindPolicyOf } from '../semantics/policies.js';
import { compareKubeAwareVersions } from './kube-aware-version.js';
import { isOwnKind, type ServedEndpoint, servedEndpoints } from './served-endpoint.js';
import type { ServedGroup, ServedVersion } from './served-group.js';

/** Higher priorities come first. Groups are ordered by the highest `group` of their versions. */
export interface DiscoveryPriority {
  readonly group: number;
  readonly version: number;
}

/** The priority of unranked group versions. */
export const defaultDiscoveryPriority: DiscoveryPriority = { group: 1000, version: 15 };

/** Ranks the group versions of aggregated discovery. */
export type PriorityOf = (groupVersion: GroupVersion) => DiscoveryPriority;

/**
 * All groups with all their resources in one document. Groups go by priority, then by name; versions by priority, then
 * by maturity.
 *
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/handler.go
 */
export function aggregatedDiscovery(groups: readonly ServedGroup[], priorityOf: PriorityOf): APIGroupDiscoveryList {
  const ranked = groups.map((group) => ({ group, priority: groupPriority(group, priorityOf) }));
  ranked.sort((a, b) => b.priority - a.priority || (a.group.group < b.group.group ? -1 : 1));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: ranked.map(({ group }) => groupDiscovery(group, priorityOf)),
  };
}

function groupPriority({ group, versions }: ServedGroup, priorityOf: PriorityOf): number {
  return Math.max(0, ...versions.map(({ version }) => priorityOf({ group, version }).group));
}

function groupDiscovery({ group, versions }: ServedGroup, priorityOf: PriorityOf): APIGroupDiscovery {
  const rank = ({ version }: ServedVersion): number => priorityOf({ group, version }).version;
  const ordered = versions.toSorted((a, b) => rank(b) - rank(a) || compareKubeAwareVersions(a.version, b.version));
  return {
    kind: '',
    apiVersion: '',
    metadata: group === '' ? {} : { name: group },
    versions: ordered.map(versionDiscovery),
  };
}

function versionDiscovery({ version, resources }: ServedVersion): APIVersionDiscovery {
  return {
    version,
    resources: resources.map((resource) => resourceDiscovery(resource, version)).filter((entry) => entry !== undefined),
    freshness: 'Current',
  };
}

/** A resource without verbs is listed for its subresources. */
function resourceDiscovery(installed: InstalledResource, version: string): APIResourceDiscovery | undefined {
  const endpoints = servedEndpoints(installed, version);
  const main = endpoints.find(({ subresource }) => subresource === '');
  const subresources = endpoints.filter(({ subresource }) => subresource !== '');
  if (endpoints.length === 0) return undefined;
  const { definition } = installed;
  return {
    resource: definition.resource,
    ...(main !== undefined && { responseKind: responseKind(main) }),
    scope: definition.scope,
    singularResource: definition.singular,
    verbs: [...(main?.verbs ?? [])],
    ...(definition.shortNames.length > 0 && { shortNames: [...definition.shortNames] }),
    ...(definition.categories.length > 0 && { categories: [...definition.categories] }),
    ...(subresources.length > 0 && { subresources: subresources.map(subresourceDiscovery) }),
  };
}

function subresourceDiscovery(endpoint: ServedEndpoint): APISubresourceDiscovery {
  const { subresource, verbs } = endpoint;
  return { subresource, responseKind: responseKind(endpoint), verbs: [...verbs] };
}

/** For built-in resources, group and version are empty unless they differ from those of the resource. */
function responseKind(endpoint: ServedEndpoint): GroupVersionKind {
  const { schema } = endpoint;
  const { gvk } = schema;
  const isImplied = kindPolicyOf(schema).isImpliedInDiscovery && isOwnKind(endpoint);
  return isImplied ? { group: '', version: '', kind: gvk.kind } : { ...gvk };
}
