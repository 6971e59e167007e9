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
  const resources: DiscoveredResource[] = [];
  const unknown: string[] = [];
  for (const { metadata, versions = [] } of groups) {
    const group = metadata?.name ?? '';
    const seen = new Set<string>();
    for (const version of versions) {
      if (version.freshness === 'Stale') unknown.push(group === '' ? version.version : `${group}/${version.version}`);
      else
        for (const resource of resourcesOf(group, version))
          if (!seen.has(resource.resource)) {
            seen.add(resource.resource);
            resources.push(resource);
          }
    }
  }
  return { resources, unknown };
}

function resourcesOf(group: string, { version, resources = [] }: VersionDiscovery): readonly DiscoveredResource[] {
  return resources.map(({ resource, responseKind, scope, verbs = [] }) => ({
    ...{ group, version, resource },
    kind: responseKind?.kind ?? '',
    namespaced: scope === 'Namespaced',
    verbs: new Set(verbs),
  }));
}
