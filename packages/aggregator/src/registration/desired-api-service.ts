import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { GroupVersion } from '@apiserver/apimachinery';

/** Says of an APIService that this server keeps it: by `onstart` once at every start, by `true` all the time. */
export const AUTOMANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged';

/** How long this server keeps an APIService. */
export type Management = 'onstart' | 'true';

/** Rank of a group among groups, and of a version among those of its group; larger comes first. */
export interface ApiServicePriority {
  readonly group: number;
  readonly version: number;
}

/** How an APIService that is kept says so; undefined: it is not. */
export function managementOf(apiService: APIService | undefined): Management | undefined {
  const value = apiService?.metadata.labels?.[AUTOMANAGED_LABEL];
  return value === 'onstart' || value === 'true' ? value : undefined;
}

/** `v1.apps` */
export function apiServiceName({ group, version }: GroupVersion): string {
  return `${version}.${group}`;
}

/** The APIService of a group version that this server answers itself. */
export function localApiService(
  { group, version }: GroupVersion,
  priority: ApiServicePriority,
  management: Management,
): APIService {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: apiServiceName({ group, version }), labels: { [AUTOMANAGED_LABEL]: management } },
    spec: { group, version, groupPriorityMinimum: priority.group, versionPriority: priority.version },
    status: {},
  };
}
