/** An object that a token is bound to. */
export interface ObjectReference {
  readonly name?: string;
  readonly uid?: string;
}

/** Private claims of a TokenRequest token. Upstream: privateClaims in pkg/serviceaccount/claims.go */
export interface KubernetesClaims {
  readonly namespace?: string;
  readonly node?: ObjectReference;
  readonly pod?: ObjectReference;
  readonly secret?: ObjectReference;
  readonly serviceaccount?: ObjectReference;
  /** Seconds since the epoch, after which each use of the token causes a warning. */
  readonly warnafter?: number;
}

/** The claims of a token. Times are seconds since the epoch. */
export interface TokenClaims {
  readonly aud?: readonly string[];
  readonly exp?: number;
  readonly iat?: number;
  readonly iss?: string;
  readonly jti?: string;
  readonly nbf?: number;
  readonly sub?: string;
  readonly 'kubernetes.io'?: KubernetesClaims;
  /** Claims of tokens in secrets. Upstream: legacyPrivateClaims in pkg/serviceaccount/legacy.go */
  readonly 'kubernetes.io/serviceaccount/namespace'?: string;
  readonly 'kubernetes.io/serviceaccount/secret.name'?: string;
  readonly 'kubernetes.io/serviceaccount/service-account.name'?: string;
  readonly 'kubernetes.io/serviceaccount/service-account.uid'?: string;
}

/**
 * Maximum difference between the clocks of issuer and verifier, in seconds.
 * Upstream: jwt.DefaultLeeway of go-jose
 */
export const LEEWAY_SECONDS = 60;

/**
 * The fault in the times of a token, with upstream's message; undefined if there is none.
 * Upstream: jwt.Claims.Validate of go-jose, and its use in pkg/serviceaccount/claims.go
 */
export function timeFault({ nbf, exp, iat }: TokenClaims, now: number): string | undefined {
  const seconds = now / 1000;
  if (nbf !== undefined && seconds + LEEWAY_SECONDS < nbf) return 'service account token is not valid yet';
  if (exp !== undefined && seconds - LEEWAY_SECONDS > exp) return 'service account token has expired';
  if (iat !== undefined && seconds + LEEWAY_SECONDS < iat) return 'service account token is issued in the future';
  return undefined;
}
