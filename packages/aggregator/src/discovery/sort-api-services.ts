import type { APIService } from '@apiserver/api/apiregistration/v1';
import { compareKubeAwareVersions } from '@apiserver/endpoints-installer';

/** The APIServices of one group, the preferred version first. */
export interface ApiServiceGroup {
  /** "" for the core group. */
  readonly group: string;
  readonly apiServices: readonly APIService[];
}

/**
 * Groups sorted by the highest priority of their APIServices, then by name; versions by priority, then by stability.
 * Upstream: SortedByGroupAndVersion of k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper
 */
export function apiServiceGroups(apiServices: readonly APIService[]): readonly ApiServiceGroup[] {
  const groups = new Map<string, APIService[]>();
  for (const apiService of apiServices.toSorted(byGroupPriority)) {
    const group = apiService.spec.group ?? '';
    const present = groups.get(group);
    if (present === undefined) groups.set(group, [apiService]);
    else present.push(apiService);
  }
  return [...groups].map(([group, members]) => ({ group, apiServices: members.sort(byVersionPriority) }));
}

function byGroupPriority(a: APIService, b: APIService): number {
  const byPriority = b.spec.groupPriorityMinimum - a.spec.groupPriorityMinimum;
  return byPriority || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

function byVersionPriority(a: APIService, b: APIService): number {
  const byPriority = b.spec.versionPriority - a.spec.versionPriority;
  return byPriority || compareKubeAwareVersions(a.spec.version ?? '', b.spec.version ?? '');
}
