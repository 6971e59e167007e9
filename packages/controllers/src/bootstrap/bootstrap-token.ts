import { Buffer } from 'node:buffer';
import type { Secret } from '@apiserver/api/core/v1';

/** The secrets that are bootstrap tokens, for informers. Upstream: k8s.io/cluster-bootstrap/token/api */
export const TOKEN_SELECTION = {
  namespace: 'kube-system',
  fieldSelector: 'type=bootstrap.kubernetes.io/token',
} as const;

const PREFIX = 'bootstrap-token-';

/** A value of a secret; "" if it is missing. */
function dataOf({ data }: Secret, key: string): string {
  return Buffer.from(data?.[key] ?? '', 'base64').toString();
}

/**
 * The end of a token's time in milliseconds since the epoch; undefined if it has none. An unreadable one is over.
 * Upstream: GetExpiration of k8s.io/cluster-bootstrap/util/secrets
 */
export function expiryOf(secret: Secret): number | undefined {
  const text = dataOf(secret, 'expiration');
  if (text === '') return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text);
  return isTime ? Date.parse(text) : 0;
}

/** The token of a secret that may sign; undefined if it may not. Upstream: validateSecretForSigning */
export function signingToken(
  secret: Secret,
  now: number,
): { readonly id: string; readonly secret: string } | undefined {
  const { name = '' } = secret.metadata;
  const id = dataOf(secret, 'token-id');
  const value = dataOf(secret, 'token-secret');
  const isNamed = name === `${PREFIX}${id}` && /^[a-z0-9]{6}$/.test(id);
  const expiry = expiryOf(secret);
  const isValid = value !== '' && (expiry === undefined || expiry > now);
  return isNamed && isValid && dataOf(secret, 'usage-bootstrap-signing') === 'true' ? { id, secret: value } : undefined;
}
