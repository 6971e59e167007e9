import type { MappedResource } from '@apiserver/admission';
import { type GroupVersionKind, type GroupVersionResource, groupVersionPath } from '@apiserver/apimachinery';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { LoopbackEndpoint } from '@apiserver/generic-server';

/** A resource in the discovery of a group version. */
interface DiscoveredResource {
  readonly name: string;
  readonly singularName?: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/**
 * Reads the resources of a kind from the discovery of the whole server: built-in, custom and aggregated ones. A group
 * version that cannot be read has none.
 * Upstream: RESTMappings of k8s.io/client-go/restmapper/discovery.go
 */
export function servedResources(loopback: Pick<LoopbackEndpoint, 'read'>) {
  return async ({ group, version, kind }: GroupVersionKind): Promise<readonly MappedResource[]> => {
    const resources = await discovered(loopback, groupVersionPath({ group, version }));
    return resources
      .filter((entry) => entry.kind === kind && !entry.name.includes('/'))
      .map(({ name, namespaced }) => ({ resource: { group, version, resource: name }, namespaced }));
  };
}

/**
 * Reads the kinds of a resource, which may be named in the singular. For the group "", those of all groups with that
 * version. Upstream: KindsFor of the RESTMapper of k8s.io/client-go/restmapper/discovery.go
 */
export function servedKinds(loopback: Pick<LoopbackEndpoint, 'read'>) {
  return async ({ group, version, resource }: GroupVersionResource): Promise<readonly GroupVersionKind[]> => {
    const name = resource.toLowerCase();
    const groups = group === '' ? ['', ...(await groupsOf(loopback, version))] : [group];
    const kinds: GroupVersionKind[] = [];
    for (const one of groups) {
      const resources = await discovered(loopback, groupVersionPath({ group: one, version }));
      const found = resources.find((entry) => entry.name === name || entry.singularName === name);
      if (found !== undefined) kinds.push({ group: one, version, kind: found.kind });
    }
    return kinds;
  };
}

/** A group in the discovery of all groups. */
interface DiscoveredGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
}

async function groupsOf(loopback: Pick<LoopbackEndpoint, 'read'>, version: string): Promise<readonly string[]> {
  const { groups = [] }: { groups?: readonly DiscoveredGroup[] } = Object(await loopback.read('/apis'));
  return groups.filter(({ versions }) => versions.some((one) => one.version === version)).map(({ name }) => name);
}

async function discovered(
  loopback: Pick<LoopbackEndpoint, 'read'>,
  path: string,
): Promise<readonly DiscoveredResource[]> {
  try {
    const { resources = [] } = Object(await loopback.read(path));
    return resources;
  } catch (error) {
    if (isStatusError(error)) return [];
    throw error;
  }
}
