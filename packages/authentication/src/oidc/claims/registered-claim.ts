import type { Claims } from './decode-claim.js';

/** Names of the claims that upstream's library reads into a struct, as Go's decoder finds them. */
const PATTERNS = {
  iss: /^iss$/iu,
  sub: /^sub$/iu,
  aud: /^aud$/iu,
  exp: /^exp$/iu,
  iat: /^iat$/iu,
  nbf: /^nbf$/iu,
  nonce: /^nonce$/iu,
  at_hash: /^at_hash$/iu,
  _claim_names: /^_claim_names$/iu,
  _claim_sources: /^_claim_sources$/iu,
} as const;

/** A claim that the verification of a token reads. */
export type RegisteredClaim = keyof typeof PATTERNS;

const NAMES: readonly RegisteredClaim[] = [
  ...(['iss', 'sub', 'aud', 'exp', 'iat', 'nbf'] as const),
  ...(['nonce', 'at_hash', '_claim_names', '_claim_sources'] as const),
];

/** The registered claim that a member names; undefined for any other member. */
export function registeredName(key: string): RegisteredClaim | undefined {
  return NAMES.find((name) => PATTERNS[name].test(key));
}

/**
 * The value of a registered claim, whose name may have any case; undefined for an absent one. Of several, the last one
 * counts that is not null.
 * Upstream: idToken of github.com/coreos/go-oidc/oidc.go, decoded by Go's encoding/json
 */
export function registeredClaim(claims: Claims, name: RegisteredClaim): unknown {
  const values = Object.keys(claims)
    .filter((key) => PATTERNS[name].test(key))
    .map((key) => claims[key]);
  return values.findLast((value) => value !== null) ?? values.at(-1);
}
