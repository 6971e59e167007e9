/** The issuers of a server, loaded on demand. */
export { createIssuerAuthentication } from './create-issuer-authentication.js';
