import type { DiscoveredResource, DiscoveredResources, ResourceDiscovery } from './resource-discovery.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Reads a path of the server in a media type. */
export type ReadPath = (path: string, accept: string) => Promise<unknown>;

interface GroupDiscovery {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly VersionDiscovery[];
}

interface VersionDiscovery {
  readonly version: string;
  readonly freshness?: string;
  readonly resources?: readonly {
    readonly resource: string;
    readonly responseKind?: { readonly kind?: string };
    readonly scope: string;
    readonly verbs?: readonly string[];
  }[];
}

/**
 * Reads the aggregated discovery documents. A resource that several versions of a group serve counts in the first of
 * them, which the group prefers.
 * Upstream: ServerPreferredResources of k8s.io/client-go/discovery
 */
export function discoverResources(read: ReadPath): ResourceDiscovery {
  return async () => {
    const documents = await Promise.all(['/api', '/apis'].map((path) => read(path, AGGREGATED)));
    return preferredResources(documents.flatMap(groupsOf));
  };
}

function groupsOf(document: unknown): readonly GroupDiscovery[] {
  const { items = [] }: { readonly items?: readonly GroupDiscovery[] } = Object(document);
  return items;
}

function preferredResources(groups: readonly GroupDiscovery[]): DiscoveredResources {
  const verbs = new VerbSets();
  const resources: DiscoveredResource[] = [];
  const kinds = new Map<string, DiscoveredResource>();
  const unknown: string[] = [];
  for (const { metadata, versions = [] } of groups) {
    const group = metadata?.name ?? '';
    const preferred = new Map<string, DiscoveredResource>();
    for (const version of versions) {
      const apiVersion = group === '' ? version.version : `${group}/${version.version}`;
      if (version.freshness === 'Stale') {
        unknown.push(apiVersion);
        continue;
      }
      for (const resource of resourcesOf(group, version, verbs)) {
        const kind = `${apiVersion}/${resource.kind}`;
        const first = preferred.get(resource.resource) ?? resource;
        preferred.set(resource.resource, first);
        if (!kinds.has(kind)) kinds.set(kind, first);
      }
    }
    resources.push(...preferred.values());
  }
  return { resources, kinds, unknown };
}

function resourcesOf(
  group: string,
  { version, resources = [] }: VersionDiscovery,
  sets: VerbSets,
): readonly DiscoveredResource[] {
  return resources.map(({ resource, responseKind, scope, verbs = [] }) => ({
    group,
    version,
    resource,
    kind: responseKind?.kind ?? '',
    namespaced: scope === 'Namespaced',
    verbs: sets.of(verbs),
  }));
}

/** Most resources have the same verbs, which share one set. */
class VerbSets {
  readonly #sets = new Map<string, ReadonlySet<string>>();

  of(verbs: readonly string[]): ReadonlySet<string> {
    const key = verbs.join();
    const set = this.#sets.get(key) ?? new Set(verbs);
    this.#sets.set(key, set);
    return set;
  }
}
