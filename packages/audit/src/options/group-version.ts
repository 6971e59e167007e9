import { tryParseGroupVersion } from '@apiserver/apimachinery';

/** The only version of audit events. */
export const AUDIT_VERSION = 'audit.k8s.io/v1';

/** Upstream: validateGroupVersionString of k8s.io/apiserver/pkg/server/options/audit.go */
export function validateAuditVersion(text: string): readonly string[] {
  if (text === AUDIT_VERSION) return [];
  if (tryParseGroupVersion(text) === undefined) return [`unexpected GroupVersion string: ${text}`];
  return ['invalid group version, allowed versions are ["audit.k8s.io/v1"]'];
}
