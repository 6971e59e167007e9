import type { APIGroupDiscovery, APIResourceDiscovery, APIVersionDiscovery } from '@apiserver/api/apidiscovery/v2';
import { equalJson } from '@apiserver/apimachinery/json';
import { mergeInOrder } from './merge-in-order.js';

/** Discovery of peers, by the identities of the servers. */
export type PeerGroups = ReadonlyMap<string, readonly APIGroupDiscovery[]>;

/** The groups of one server, under its identity. */
export interface LocalGroups {
  readonly serverId: string;
  readonly groups: readonly APIGroupDiscovery[];
}

/**
 * Merges the groups of this server with those of its peers. Servers count in the order of their identities, so that all
 * of them make the same document. Returns the local groups themselves if the peers add nothing.
 * Upstream: mergeResources of k8s.io/apiserver/pkg/endpoints/discovery/aggregated/peer_aggregated_handler.go
 */
export function mergePeerGroups(
  { serverId, groups: local }: LocalGroups,
  peers: PeerGroups,
): readonly APIGroupDiscovery[] {
  if (peers.size === 0) return local;
  const servers = [...peers, [serverId, local] as const].sort(([a], [b]) => (a < b ? -1 : 1));
  const merged = new Map<string, APIGroupDiscovery>();
  const localNames = local.map(groupName);
  let isSame = true;
  for (const [, groups] of servers) {
    isSame &&= equalJson(groups.map(groupName), localNames);
    for (const group of groups) {
      const known = merged.get(groupName(group));
      const both = known === undefined ? group : mergeGroup(known, group);
      isSame &&= known === undefined || both === known;
      merged.set(groupName(group), both);
    }
  }
  if (isSame) return local;
  const order = mergeInOrder(servers.map(([, groups]) => groups.map(groupName)));
  return order.flatMap((name) => merged.get(name) ?? []);
}

function groupName({ metadata }: APIGroupDiscovery): string {
  return metadata.name ?? '';
}

function mergeGroup(a: APIGroupDiscovery, b: APIGroupDiscovery): APIGroupDiscovery {
  const before = a.versions ?? [];
  const versions = mergeNamed(before, b.versions ?? [], ({ version }) => version, mergeVersion);
  return versions === before ? a : { ...a, versions };
}

function mergeVersion(a: APIVersionDiscovery, b: APIVersionDiscovery): APIVersionDiscovery {
  const before = a.resources ?? [];
  const resources = mergeNamed(before, b.resources ?? [], ({ resource }) => resource, mergeResource);
  return resources === before ? a : { ...a, resources };
}

/** A resource that servers serve in different ways has the verbs and subresources of all. */
function mergeResource(a: APIResourceDiscovery, b: APIResourceDiscovery): APIResourceDiscovery {
  if (equalJson(a, b)) return a;
  const bySubresource = new Map(
    [...(a.subresources ?? []), ...(b.subresources ?? [])].map((one) => [one.subresource, one]),
  );
  const { subresources: _, ...rest } = a;
  const subresources = [...bySubresource].sort(([x], [y]) => (x < y ? -1 : 1)).map(([, one]) => one);
  return {
    ...rest,
    verbs: [...new Set([...(a.verbs ?? []), ...(b.verbs ?? [])])].sort(),
    ...(subresources.length > 0 && { subresources }),
  };
}

/** The entries of both lists, in the order of both. Returns `a` itself if `b` changes nothing. */
function mergeNamed<T>(a: T[], b: readonly T[], nameOf: (entry: T) => string, combine: (a: T, b: T) => T): T[] {
  const merged = new Map(a.map((entry) => [nameOf(entry), entry]));
  let isSame = true;
  for (const entry of b) {
    const known = merged.get(nameOf(entry));
    const both = known === undefined ? entry : combine(known, entry);
    isSame &&= both === known;
    merged.set(nameOf(entry), both);
  }
  const orders = [a.map(nameOf), b.map(nameOf)];
  if (isSame && equalJson(orders[0], orders[1])) return a;
  return mergeInOrder(orders).flatMap((name) => merged.get(name) ?? []);
}
