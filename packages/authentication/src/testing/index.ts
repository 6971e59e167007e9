/** Test support for authenticators, and for servers that need certificates. */
export {
  makeTestCertificate,
  makeTestCertificateRequest,
  type TestCertificate,
  type TestCertificateOptions,
  type TestCertificateRequest,
  testKeyUsage,
} from '@apiserver/apimachinery/testing';
export { type AuthenticationRequest, testAuthenticationExchange } from './test-exchange.js';
export {
  keySet,
  makeIssuerKey,
  signTestToken,
  startTestIssuer,
  type TestIssuer,
  type TestIssuerHandler,
  type TestIssuerKey,
  type TestTokenOptions,
} from './test-issuer.js';
