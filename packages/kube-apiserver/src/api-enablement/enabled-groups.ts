import type { APIGroupInfo } from '@apiserver/apiserver-contracts';
import type { ResourceConfig } from './resource-config.js';

/**
 * The enabled resources of a group: the group itself, nothing, or one group for each version with an enabled
 * resource. A group has no resources while its gates are off.
 * Upstream: ResourceEnabled in the storage providers of pkg/registry, and InstallAPIs of pkg/controlplane/apiserver
 */
export function enabledParts(info: APIGroupInfo, config: Pick<ResourceConfig, 'isEnabled'>): readonly APIGroupInfo[] {
  const { group, versions, resources } = info;
  if (resources.length === 0) return [];
  const parts = versions.map((version): APIGroupInfo => {
    const left = resources.filter(({ definition: { resource } }) => config.isEnabled({ group, version, resource }));
    return { group, versions: [version], resources: left };
  });
  if (parts.every(({ resources: left }) => left.length === resources.length)) return [info];
  return parts.filter(({ resources: left }) => left.length > 0);
}
