import type { APIService } from '@apiserver/api/apiregistration/v1';
import type { GroupVersion } from '@apiserver/apimachinery';

/** Marks an APIService that this server manages: `onstart` at each start, `true` continuously. */
export const AUTOMANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged';

/** When this server manages an APIService. */
export type Management = 'onstart' | 'true';

/** Priority of a group, and of a version within its group; larger comes first. */
export interface ApiServicePriority {
  readonly group: number;
  readonly version: number;
}

/** The management in an APIService's label; undefined if it is not managed. */
export function managementOf(apiService: APIService | undefined): Management | undefined {
  const value = apiService?.metadata.labels?.[AUTOMANAGED_LABEL];
  return value === 'onstart' || value === 'true' ? value : undefined;
}

/** `v1.apps` */
export function apiServiceName({ group, version }: GroupVersion): string {
  return `${version}.${group}`;
}

/** The APIService of a group version that this process serves. */
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
