import type { MappedResource } from '@apiserver/admission';
import { type GroupVersionKind, groupVersionPath } from '@apiserver/apimachinery';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { LoopbackEndpoint } from '@apiserver/generic-server';

/** A resource in the discovery of a group version. */
interface DiscoveredResource {
  readonly name: string;
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
