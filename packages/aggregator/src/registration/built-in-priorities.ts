import type { GroupVersion } from '@apiserver/apimachinery';
import type { ApiServicePriority } from './desired-api-service.js';

/** Per group: its priority, and the priority of each of its versions. */
const PRIORITIES: Readonly<
  Record<string, { readonly group: number; readonly versions: Readonly<Record<string, number>> }>
> = {
  '': { group: 18_000, versions: { v1: 1 } },
  apps: { group: 17_800, versions: { v1: 15 } },
  'events.k8s.io': { group: 17_750, versions: { v1: 15, v1beta1: 5 } },
  'authentication.k8s.io': { group: 17_700, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'authorization.k8s.io': { group: 17_600, versions: { v1: 15 } },
  autoscaling: { group: 17_500, versions: { v1: 15, v2: 30, v2beta1: 9, v2beta2: 1 } },
  batch: { group: 17_400, versions: { v1: 15, v1beta1: 9, v2alpha1: 9 } },
  'certificates.k8s.io': { group: 17_300, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'networking.k8s.io': { group: 17_200, versions: { v1: 15, v1beta1: 9 } },
  policy: { group: 17_100, versions: { v1: 15, v1beta1: 9 } },
  'rbac.authorization.k8s.io': { group: 17_000, versions: { v1: 15 } },
  'storage.k8s.io': { group: 16_800, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'apiextensions.k8s.io': { group: 16_700, versions: { v1: 15 } },
  'admissionregistration.k8s.io': { group: 16_700, versions: { v1: 15, v1beta1: 12, v1alpha1: 9 } },
  'scheduling.k8s.io': { group: 16_600, versions: { v1: 15, v1alpha2: 9 } },
  'coordination.k8s.io': { group: 16_500, versions: { v1: 15, v1beta1: 13, v1alpha2: 12 } },
  'node.k8s.io': { group: 16_300, versions: { v1: 15, v1beta1: 9, v1alpha1: 1 } },
  'discovery.k8s.io': { group: 16_200, versions: { v1: 15, v1beta1: 12 } },
  'resource.k8s.io': { group: 16_200, versions: { v1: 20, v1beta2: 15, v1beta1: 9, v1alpha3: 1 } },
  'flowcontrol.apiserver.k8s.io': {
    group: 16_100,
    versions: { v1: 21, v1beta3: 18, v1beta2: 15, v1beta1: 12, v1alpha1: 9 },
  },
  'internal.apiserver.k8s.io': { group: 16_000, versions: { v1alpha1: 9 } },
  'storagemigration.k8s.io': { group: 15_800, versions: { v1beta1: 9 } },
};

/**
 * The priority of a built-in group version; undefined if it has no APIService.
 * Upstream: DefaultGenericAPIServicePriorities of pkg/controlplane/apiserver/aggregator.go, apiVersionPriorities of
 * cmd/kube-apiserver/app/aggregator.go
 */
export function builtInPriority({ group, version }: GroupVersion): ApiServicePriority | undefined {
  const known = PRIORITIES[group];
  const rank = known?.versions[version];
  return known === undefined || rank === undefined ? undefined : { group: known.group, version: rank };
}
