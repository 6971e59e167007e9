import type { GroupKind } from '@apiserver/apimachinery';

const GROUP = 'admissionregistration.k8s.io';
const KINDS: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/**
 * True for the kinds that configure admission. No webhook and no policy of the API receives them, so that a wrong
 * configuration can be repaired.
 * Upstream: IsExemptAdmissionConfigurationResource of k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules
 */
export function isExemptKind({ group, kind }: GroupKind): boolean {
  return group === GROUP && KINDS.has(kind);
}
