import { serviceAccountUsername } from './service-account-user.js';
import type { KubernetesClaims, ObjectReference, TokenClaims } from './token-claims.js';

/** Contents of a new token. */
export interface TokenOrder {
  readonly namespace: string;
  readonly serviceAccount: ObjectReference;
  readonly pod?: ObjectReference;
  readonly secret?: ObjectReference;
  readonly node?: ObjectReference;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** Seconds after which each use of the token causes a warning; no warning if absent. */
  readonly warnAfterSeconds?: number;
}

/** A new token. */
export interface GeneratedToken {
  readonly token: string;
  /** Its `jti`. */
  readonly id: string;
}

/** Creates tokens. Upstream: TokenGenerator in pkg/serviceaccount/jwt.go */
export interface TokenGenerator {
  generate(order: TokenOrder): Promise<GeneratedToken>;
}

/** Signs claims, in their order, and returns the compact JWT. */
export type TokenSigner = (claims: TokenClaims) => Promise<string>;

/** Dependencies of a token generator. */
export interface TokenGeneratorOptions {
  readonly issuer: string;
  readonly sign: TokenSigner;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newTokenId: () => string;
}

/** Creates tokens that `sign` signs. Upstream: Claims and GenerateToken in pkg/serviceaccount */
export function createTokenGenerator({ issuer, sign, now, newTokenId }: TokenGeneratorOptions): TokenGenerator {
  return {
    async generate(order) {
      const id = newTokenId();
      const token = await sign(claimsOf(order, { issuer, jti: id, seconds: Math.floor(now() / 1000) }));
      return { token, id };
    },
  };
}

interface Moment {
  readonly issuer: string;
  readonly jti: string;
  readonly seconds: number;
}

/** Fields are sorted as in Go's maps. Upstream: Claims in pkg/serviceaccount/claims.go */
function claimsOf(order: TokenOrder, { issuer, jti, seconds }: Moment): TokenClaims {
  const { namespace, serviceAccount, audiences, expirationSeconds } = order;
  return {
    aud: [...audiences],
    exp: seconds + expirationSeconds,
    iat: seconds,
    iss: issuer,
    jti,
    'kubernetes.io': kubernetesClaims(order, seconds),
    nbf: seconds,
    sub: serviceAccountUsername(namespace, serviceAccount.name ?? ''),
  };
}

function kubernetesClaims(order: TokenOrder, seconds: number): KubernetesClaims {
  const { namespace, serviceAccount, pod, secret, node, warnAfterSeconds } = order;
  return {
    namespace,
    ...(node === undefined ? undefined : { node: reference(node) }),
    ...(pod === undefined ? undefined : { pod: reference(pod) }),
    ...(secret === undefined ? undefined : { secret: reference(secret) }),
    serviceaccount: reference(serviceAccount),
    ...(warnAfterSeconds === undefined ? undefined : { warnafter: seconds + warnAfterSeconds }),
  };
}

function reference({ name, uid }: ObjectReference): ObjectReference {
  return { ...(name ? { name } : undefined), ...(uid ? { uid } : undefined) };
}
