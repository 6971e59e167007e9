export { type AlternativeNames, formatAddress } from './alternative-names.js';
export {
  type BasicConstraints,
  certificatesIn,
  type ParsedCertificate,
  parseCertificate,
  parseCertificateBundle,
} from './certificate.js';
export { CertificateError } from './certificate-error.js';
export { CertificatePool } from './certificate-pool.js';
export { checkHost } from './check-host.js';
export { presentedChain } from './presented-chain.js';
export { checkShownKey, isOnKnownCurve } from './verifiable-key.js';
export { type VerifiedChain, type VerifyOptions, verifyChain, verifyChainSteps } from './verify-chain.js';
