/** Tokens of other issuers: OpenID Connect, and its configuration. */
export type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimOrExpression,
  ClaimValidationRule,
  EgressType,
  ExtraMapping,
  IssuerConfiguration,
  JwtConfiguration,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from './configuration/authentication-configuration.js';
export { decodeAuthenticationConfiguration } from './configuration/decode-configuration.js';
export {
  anonymousChanged,
  type CompiledIssuer,
  type ValidatedConfiguration,
  validateConfiguration,
} from './configuration/validate-configuration.js';
export type { ValidationContext } from './configuration/validation-context.js';
export { ExpressionCompiler } from './expressions/expression-compiler.js';
export type { EgressLookup, IssuerEnvironment } from './issuer-authenticator.js';
export { IssuerSet } from './issuer-set.js';
export { OidcMetrics, type OidcMetricsOptions } from './oidc-metrics.js';
