import type { ObjectMeta } from '@apiserver/apimachinery';
import { quote } from '@apiserver/apimachinery/text';
import { formatLevelVersion } from '../../pod-security/level-version.js';
import {
  areEquivalentPolicies,
  isFullyPrivileged,
  LEVEL_LABELS,
  type NamespacePolicy,
  POLICY_MODES,
  VERSION_LABELS,
} from '../../pod-security/namespace-policy.js';

/**
 * The warning for labels of an exempt namespace that have no effect; undefined if they would have none elsewhere.
 * Upstream: exemptNamespaceWarning of k8s.io/pod-security-admission/admission/admission.go
 */
export function exemptNamespaceWarning(
  { name = '', labels = {} }: ObjectMeta,
  policy: NamespacePolicy,
  defaults: NamespacePolicy,
): string | undefined {
  if (isFullyPrivileged(policy) || areEquivalentPolicies(policy, defaults)) return undefined;
  const labelled = POLICY_MODES.filter(
    (mode) =>
      policy[mode].level !== 'privileged' &&
      (labels[LEVEL_LABELS[mode]] !== undefined || labels[VERSION_LABELS[mode]] !== undefined),
  );
  const ignored = labelled.map((mode) => `${mode}=${formatLevelVersion(policy[mode])}`).join(', ');
  return `namespace ${quote(name)} is exempt from Pod Security, and the policy (${ignored}) will be ignored`;
}
