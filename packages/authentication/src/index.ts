/** Authenticators: who sent a request. */
export { anonymousAuthenticator } from './anonymous.js';
export { type AuthenticationConfig, createAuthenticator } from './create-authenticator.js';
export { CREDENTIAL_ID_KEY } from './credential-id.js';
export { authenticatedGroupAdder } from './group-adder.js';
export { bearerTokenAuthenticator, invalidBearerToken } from './token/bearer-token.js';
export { createTokenFileAuthenticator, type TokenFile } from './token/token-file.js';
export { webSocketProtocolAuthenticator } from './token/web-socket-protocol.js';
export { type UnionOptions, unionAuthenticator, unionTokenAuthenticator } from './union.js';
export {
  createX509Authenticator,
  parseCertificateBundle,
  type X509AuthenticatorOptions,
} from './x509/x509-authenticator.js';
