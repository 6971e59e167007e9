import { isMembers } from '@apiserver/apimachinery/json';
import { registeredClaim } from '../claims/registered-claim.js';

/**
 * The issuer that a payload names, not verified; undefined for a payload of another form. "" if it names none.
 * Upstream: untrustedIssuer of k8s.io/apiserver/plugin/pkg/authenticator/token/oidc
 */
export function untrustedIssuer(payload: unknown): string | undefined {
  if (!isMembers(payload)) return undefined;
  const issuer = registeredClaim(payload, 'iss') ?? '';
  if (typeof issuer !== 'string') return undefined;
  // Google's tokens leave out the scheme.
  return issuer === 'accounts.google.com' ? 'https://accounts.google.com' : issuer;
}
