import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { GroupVersion } from '@apiserver/apimachinery';
import { type ApiServicePriority, localApiService } from './desired-api-service.js';

/**
 * The APIServices of the servers behind the aggregator, derived from the paths they list.
 * Upstream: apiServicesToRegister of pkg/controlplane/apiserver/aggregator.go
 */
export function builtInApiServices(
  listedPaths: readonly string[],
  priorityOf: (groupVersion: GroupVersion) => ApiServicePriority | undefined,
): readonly APIService[] {
  return listedPaths.flatMap((path) => {
    const groupVersion = groupVersionOf(path);
    const priority = groupVersion && priorityOf(groupVersion);
    return groupVersion === undefined || priority === undefined
      ? []
      : [localApiService(groupVersion, priority, 'onstart')];
  });
}

function groupVersionOf(path: string): GroupVersion | undefined {
  if (path === '/api/v1') return { group: '', version: 'v1' };
  const [, group, version] = /^\/apis\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  return group === undefined || version === undefined ? undefined : { group, version };
}
