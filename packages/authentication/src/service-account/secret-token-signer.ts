import { LEGACY_ISSUER } from './legacy-token-validator.js';
import { serviceAccountUsername } from './service-account-user.js';
import type { TokenSigner } from './token-generator.js';

/** The secret and the service account that a token is for. */
export interface SecretTokenOrder {
  readonly namespace: string;
  readonly secret: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
}

/** Signs a token that has no expiry. */
export type SecretTokenSigner = (order: SecretTokenOrder) => Promise<string>;

/**
 * Signs tokens for secrets. Claims are sorted as in Go's maps.
 * Upstream: LegacyClaims in pkg/serviceaccount/legacy.go
 */
export function createSecretTokenSigner(sign: TokenSigner): SecretTokenSigner {
  return ({ namespace, secret, serviceAccount: { name, uid } }) =>
    sign({
      iss: LEGACY_ISSUER,
      'kubernetes.io/serviceaccount/namespace': namespace,
      'kubernetes.io/serviceaccount/secret.name': secret,
      'kubernetes.io/serviceaccount/service-account.name': name,
      'kubernetes.io/serviceaccount/service-account.uid': uid,
      sub: serviceAccountUsername(namespace, name),
    });
}
