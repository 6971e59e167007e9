import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { messageOf } from '../errors/message-of.js';
import { type DerElement, derTag, readDerElements, readDerIdentifier, readOnlyDerElement } from './der-reader.js';
import { commonNameOf, organizationsOf, readNameAttributes } from './distinguished-name.js';
import { readPemBlock } from './pem-block.js';

/** The parts of a certificate signing request (PKCS #10) that are used. */
export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** A request with the data that its signature check needs. */
interface SignedRequest extends CertificateRequest {
  /** The part that is signed. */
  readonly signed: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly algorithm: readonly DerElement[];
  readonly signature: Uint8Array;
}

/** The algorithm of a signature: the type of key, and the digest (`null`: the key's own). */
interface SignatureAlgorithm {
  readonly key: 'rsa' | 'ec' | 'ed25519';
  readonly digest: string | null;
}

const ALGORITHMS: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.5': { key: 'rsa', digest: 'sha1' },
  '1.2.840.113549.1.1.11': { key: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', digest: 'sha512' },
  '1.2.840.10045.4.1': { key: 'ec', digest: 'sha1' },
  '1.2.840.10045.4.3.2': { key: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', digest: 'sha512' },
  '1.3.101.112': { key: 'ed25519', digest: null },
};

const PSS = '1.2.840.113549.1.1.10';
const PSS_DIGESTS: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Parses a request from PEM text without checking its signature. Throws an Error with the reason. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  return readRequest(pem);
}

/**
 * The fault of a request in PEM text, including its signature; undefined if it is valid.
 * Upstream: ParseCertificateRequest and CheckSignature of crypto/x509
 */
export function certificateRequestFault(pem: string): string | undefined {
  try {
    return signatureFault(readRequest(pem));
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * The public key in a request in DER, as a SubjectPublicKeyInfo; undefined if the request is malformed.
 * Upstream: ParseCertificateRequest of crypto/x509
 */
export function certificateRequestKey(der: Uint8Array): Uint8Array | undefined {
  try {
    return readSignedRequest(der).publicKey;
  } catch {
    return undefined;
  }
}

/** True if a request in DER is signed by its own key. Upstream: CertificateRequest.CheckSignature of crypto/x509 */
export function isCertificateRequestSigned(der: Uint8Array): boolean {
  try {
    return signatureFault(readSignedRequest(der)) === undefined;
  } catch {
    return false;
  }
}

function readRequest(pem: string): SignedRequest {
  const block = readPemBlock(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  try {
    return readSignedRequest(block.bytes);
  } catch {
    throw new Error('x509: malformed certificate request');
  }
}

function readSignedRequest(der: Uint8Array): SignedRequest {
  const [info, algorithm, signature, ...more] = readDerElements(readOnlyDerElement(der, derTag.sequence).content);
  const isWhole = info?.tag === derTag.sequence && algorithm?.tag === derTag.sequence;
  if (!isWhole || signature?.tag !== derTag.bitString || more.length > 0) throw new Error('not a request');
  const [version, subject, publicKey] = readDerElements(info.content);
  if (version?.tag !== derTag.integer || subject?.tag !== derTag.sequence || publicKey?.tag !== derTag.sequence) {
    throw new Error('not a request');
  }
  const names = readNameAttributes(subject.content);
  return {
    commonName: commonNameOf(names),
    organizations: organizationsOf(names),
    signed: info.bytes,
    publicKey: publicKey.bytes,
    algorithm: readDerElements(algorithm.content),
    signature: signature.content.subarray(1),
  };
}

function signatureFault(request: SignedRequest): string | undefined {
  const name = readDerIdentifier(request.algorithm[0]);
  const algorithm = name === PSS ? pssAlgorithm(request.algorithm) : ALGORITHMS[name];
  if (algorithm === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  const key = readPublicKey(request.publicKey);
  if (key?.asymmetricKeyType !== algorithm.key) {
    return 'x509: signature algorithm specifies a key of another type than the public key';
  }
  const padding = name === PSS ? { padding: constants.RSA_PKCS1_PSS_PADDING } : {};
  if (verify(algorithm.digest, request.signed, { key, ...padding }, request.signature)) return undefined;
  return FAILURES[algorithm.key];
}

const FAILURES: Readonly<Record<SignatureAlgorithm['key'], string>> = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
};

/** The digest of PSS is in its parameters: `[0] { SEQUENCE { OID … } }`. */
function pssAlgorithm([, parameters]: readonly DerElement[]): SignatureAlgorithm | undefined {
  const hash = readDerElements(parameters?.content ?? new Uint8Array()).find(({ tag }) => tag === 0xa0);
  if (hash === undefined) return undefined;
  const [name] = readDerElements(readOnlyDerElement(hash.content, derTag.sequence).content);
  const digest = PSS_DIGESTS[readDerIdentifier(name)];
  return digest === undefined ? undefined : { key: 'rsa', digest };
}

function readPublicKey(der: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
