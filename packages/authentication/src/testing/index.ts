/** Test support for authenticators, and for servers that need certificates. */
export {
  makeTestCertificate,
  type TestCertificate,
  type TestCertificateOptions,
  testKeyUsage,
} from './make-certificate.js';
export { type AuthenticationRequest, testAuthenticationExchange } from './test-exchange.js';
