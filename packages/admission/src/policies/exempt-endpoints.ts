import type { AdmissionEndpoint } from '@apiserver/apiserver-contracts';

/** Upstream: admissionResources of k8s.io/apiserver/pkg/admission/plugin/policy/generic/plugin.go */
const POLICIES: ReadonlySet<string> = new Set([
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
]);

/** Upstream: excluded of pkg/kubeapiserver/admission/exclusion/resources.go */
const REVIEWS: Readonly<Record<string, ReadonlySet<string>>> = {
  'authentication.k8s.io': new Set(['selfsubjectreviews', 'tokenreviews']),
  'authorization.k8s.io': new Set([
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
    'subjectaccessreviews',
  ]),
};

/** True for policies, so that a wrong one can be repaired, and for reviews, which the cluster's own access needs. */
export function isExemptEndpoint({ resource: { group, resource } }: AdmissionEndpoint): boolean {
  if (group === 'admissionregistration.k8s.io') return POLICIES.has(resource);
  return REVIEWS[group]?.has(resource) ?? false;
}
