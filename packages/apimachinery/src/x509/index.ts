export {
  type CertificateRequest,
  certificateRequestFault,
  certificateRequestKey,
  isCertificateRequestSigned,
  parseCertificateRequest,
} from './certificate-request.js';
export {
  type AlternativeNames,
  type BasicConstraints,
  CertificateError,
  CertificatePool,
  certificatesIn,
  checkHost,
  checkShownKey,
  formatAddress,
  isOnKnownCurve,
  type ParsedCertificate,
  parseCertificate,
  parseCertificateBundle,
  presentedChain,
  type VerifiedChain,
  type VerifyOptions,
  verifyChain,
  verifyChainSteps,
} from './chain/index.js';
export {
  type DerElement,
  derTag,
  readDerElements,
  readDerString,
  readObjectIdentifier,
  readOnlyDerElement,
} from './der-reader.js';
export { keyPairFault } from './key-pair.js';
export { formatPemBlock, type PemBlock, readPemBlock, readPemBlocks } from './pem-block.js';
