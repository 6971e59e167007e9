/** The anonymous requests that a server takes. */
export interface AnonymousConfiguration {
  readonly enabled?: boolean;
  /** The paths that may be requested; all if there are none. */
  readonly conditions?: readonly { readonly path?: string }[] | null;
}

/** Egress that a server reaches an issuer through. */
export type EgressType = 'controlplane' | 'cluster';

/** Where tokens come from. */
export interface IssuerConfiguration {
  readonly url?: string;
  /** Where the discovery document is, if not below `url`. */
  readonly discoveryURL?: string | null;
  /** PEM. Default: the authorities of the machine. */
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[] | null;
  readonly audienceMatchPolicy?: string;
  readonly egressSelectorType?: string;
}

/** A claim with a value, or an expression that must be true. */
export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

/** A claim or an expression. */
export interface ClaimOrExpression {
  readonly claim?: string;
  readonly expression?: string;
}

/** A claim with a prefix for its values, or an expression. */
export interface PrefixedClaimOrExpression extends ClaimOrExpression {
  readonly prefix?: string | null;
}

/** An extra attribute of users. */
export interface ExtraMapping {
  readonly key?: string;
  readonly valueExpression?: string;
}

/** The claims that become the user. */
export interface ClaimMappings {
  readonly username?: PrefixedClaimOrExpression;
  readonly groups?: PrefixedClaimOrExpression;
  readonly uid?: ClaimOrExpression;
  readonly extra?: readonly ExtraMapping[] | null;
}

/** An expression that must be true for the user. */
export interface UserValidationRule {
  readonly expression?: string;
  readonly message?: string;
}

/** One issuer, and how its tokens become users. */
export interface JwtConfiguration {
  readonly issuer?: IssuerConfiguration;
  readonly claimValidationRules?: readonly ClaimValidationRule[] | null;
  readonly claimMappings?: ClaimMappings;
  readonly userValidationRules?: readonly UserValidationRule[] | null;
}

/**
 * The file of `--authentication-config`.
 * Upstream: AuthenticationConfiguration of k8s.io/apiserver/pkg/apis/apiserver/v1/types.go
 */
export interface AuthenticationConfiguration {
  readonly jwt?: readonly JwtConfiguration[] | null;
  readonly anonymous?: AnonymousConfiguration | null;
}
