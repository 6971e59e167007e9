/** Authenticators, which find the user of a request. */

export { anonymousAuthenticator } from './anonymous.js';
export { type AuthenticationConfig, createAuthentication, type ServerAuthentication } from './create-authentication.js';
export { CREDENTIAL_ID_KEY } from './credential-id.js';
export { authenticatedGroupAdder, authenticatedTokenGroupAdder } from './group-adder.js';
export {
  isIdentityHeader,
  type RequestHeaderConfig,
  requestHeaderAuthenticator,
} from './request-header/request-header-authenticator.js';
export type { ServiceAccountAuthentication } from './service-account/create-service-account-authenticators.js';
export { createTokenMetrics } from './service-account/create-token-metrics.js';
export { type KeySource, staticKeys } from './service-account/key-source.js';
export {
  JWKS_PATH,
  OPEN_ID_CONFIGURATION_PATH,
  type OpenIdMetadata,
  type OpenIdMetadataOptions,
  openIdMetadata,
} from './service-account/open-id-metadata.js';
export {
  parseSigningKey,
  parseVerificationKeys,
  type SignatureAlgorithm,
  type VerificationKey,
  verificationKey,
} from './service-account/public-keys.js';
export {
  createSecretTokenSigner,
  type SecretTokenOrder,
  type SecretTokenSigner,
} from './service-account/secret-token-signer.js';
export {
  type ServiceAccountInfo,
  serviceAccountUser,
  serviceAccountUsername,
} from './service-account/service-account-user.js';
export { signWithKey } from './service-account/sign-with-key.js';
export type { KubernetesClaims, ObjectReference, TokenClaims } from './service-account/token-claims.js';
export {
  createTokenGenerator,
  type GeneratedToken,
  type TokenGenerator,
  type TokenGeneratorOptions,
  type TokenOrder,
  type TokenSigner,
} from './service-account/token-generator.js';
export type {
  TokenObject,
  TokenObjectGetter,
  TokenSecret,
  TokenServiceAccount,
} from './service-account/token-objects.js';
export { audienceAgnostic } from './token/audience-agnostic.js';
export { bearerTokenAuthenticator, invalidBearerToken } from './token/bearer-token.js';
export {
  type CachedTokenOptions,
  cachedTokenAuthenticator,
  type TokenCacheObserver,
} from './token/cached-token-authenticator.js';
export { createTokenFileAuthenticator, type TokenFile } from './token/token-file.js';
export { webSocketProtocolAuthenticator } from './token/web-socket-protocol.js';
export { type UnionOptions, unionAuthenticator, unionTokenAuthenticator } from './union.js';
export {
  type TokenReviewer,
  type WebhookTokenAuthenticatorOptions,
  webhookTokenAuthenticator,
} from './webhook/webhook-token-authenticator.js';
export { createCertificateMetrics } from './x509/certificate-metrics.js';
export { describeCertificate } from './x509/describe-certificate.js';
export { createX509Authenticator, type X509AuthenticatorOptions } from './x509/x509-authenticator.js';
