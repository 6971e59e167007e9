import type { GroupResource } from '@apiserver/apimachinery';

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

/** True for policies: those of the API do not see them, so that a wrong one can be repaired. Those of files do. */
export function isPolicyResource({ group, resource }: GroupResource): boolean {
  return group === 'admissionregistration.k8s.io' && POLICIES.has(resource);
}

/** True for reviews, which the cluster's own access needs: no policy sees them. */
export function isReviewResource({ group, resource }: GroupResource): boolean {
  return REVIEWS[group]?.has(resource) ?? false;
}
