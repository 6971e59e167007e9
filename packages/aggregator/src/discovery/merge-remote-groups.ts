import type { APIGroupDiscovery, APIGroupDiscoveryList } from '@apiserver/api/apidiscovery/v2';
import { compareKubeAwareVersions, type PriorityOf } from '@apiserver/endpoints-installer';

/**
 * Merges the groups of remote servers into those of this process. A group of both has the versions of both; a version
 * of both is the remote one. Groups and versions are sorted by priority.
 * Upstream: k8s.io/apiserver/pkg/endpoints/discovery/aggregated/handler.go (resourceManager)
 */
export function mergeRemoteGroups(
  list: APIGroupDiscoveryList,
  remote: readonly APIGroupDiscovery[],
  priorityOf: PriorityOf,
): APIGroupDiscoveryList {
  if (remote.length === 0) return list;
  const groups = new Map<string, APIGroupDiscovery>();
  for (const one of [...list.items, ...remote]) {
    const name = one.metadata.name ?? '';
    const present = groups.get(name);
    const added = one.versions ?? [];
    const kept = (present?.versions ?? []).filter(({ version }) => !added.some((other) => other.version === version));
    const versions = [...kept, ...added];
    groups.set(name, { ...(present ?? one), versions: inOrder(name, versions, priorityOf) });
  }
  const ranked = [...groups].map(([name, group]) => ({ name, group, rank: rankOf(name, group, priorityOf) }));
  ranked.sort((a, b) => b.rank - a.rank || (a.name < b.name ? -1 : 1));
  return { ...list, items: ranked.map(({ group }) => group) };
}

type Version = NonNullable<APIGroupDiscovery['versions']>[number];

function inOrder(group: string, versions: readonly Version[], priorityOf: PriorityOf): Version[] {
  const rank = ({ version }: Version): number => priorityOf({ group, version }).version;
  return versions.toSorted((a, b) => rank(b) - rank(a) || compareKubeAwareVersions(a.version, b.version));
}

function rankOf(group: string, { versions }: APIGroupDiscovery, priorityOf: PriorityOf): number {
  return Math.max(0, ...(versions ?? []).map(({ version }) => priorityOf({ group, version }).group));
}
