import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import type { WebhookClientConfig } from '@apiserver/webhook';

/** Faults of certificates that Go once accepted, by the text of the failed call. */
const OLD_CERTIFICATES = [
  {
    id: 'missing-san',
    failure: /x509: certificate relies on legacy Common Name field/,
    reason: 'relies on a legacy Common Name field instead of the SAN extension for subject validation',
  },
  {
    id: 'insecure-sha1',
    failure: /x509: cannot verify signature: insecure algorithm .*SHA1/,
    reason: 'uses an insecure SHA-1 signature',
  },
] as const;

/**
 * Names a webhook whose certificate is of a form that is no longer accepted in the audit event of the request. Nothing
 * happens for other failures.
 * Upstream: k8s.io/apiserver/pkg/util/x509metrics/server_cert_deprecations.go
 */
export function annotateOldCertificate(
  attributes: Pick<AdmissionAttributes, 'addAnnotation'>,
  webhook: WebhookClientConfig,
  failure: string,
): void {
  for (const { id, failure: pattern, reason } of OLD_CERTIFICATES) {
    if (pattern.test(failure)) attributes.addAnnotation(`${id}.invalid-cert.kubernetes.io/${hostOf(webhook)}`, reason);
  }
}

function hostOf({ url, service }: WebhookClientConfig): string {
  if (service !== undefined) return `${service.name}.${service.namespace}.svc`;
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}
