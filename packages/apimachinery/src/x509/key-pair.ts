import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { attempt, certificateFault } from './certificate-fault.js';
import { isOnKnownCurve } from './chain/verifiable-key.js';
import { derTag, readDerElements, readDerIdentifier, readFirstDerElement } from './der-reader.js';
import { type PemBlock, readPemBlocks } from './pem-block.js';

/** Types of keys that Go uses for TLS. */
const SUPPORTED: ReadonlySet<string | undefined> = new Set(['rsa', 'ec', 'ed25519']);
/** Algorithms of private keys in PKCS#8 that Go reads: RSA, elliptic curves, Ed25519 and X25519. */
const ALGORITHMS: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.1',
  '1.2.840.10045.2.1',
  '1.3.101.112',
  '1.3.101.110',
]);

/**
 * The reason why a certificate and a key in PEM do not match, in the words of Go's crypto/tls; undefined if they
 * match.
 * Upstream: X509KeyPair of crypto/tls
 */
export function keyPairFault(certificatePem: string, keyPem: string): string | undefined {
  const certificate = findCertificate(readPemBlocks(certificatePem));
  if ('fault' in certificate) return certificate.fault;
  const key = findKey(readPemBlocks(keyPem));
  if ('fault' in key) return key.fault;
  const fault = certificateFault(certificate.block.bytes);
  if (fault !== undefined) return fault;
  const privateKey = privateKeyIn(key.block);
  if (typeof privateKey === 'string') return privateKey;
  return mismatch(
    attempt(() => new X509Certificate(certificate.block.bytes).publicKey),
    privateKey,
  );
}

type Found = { readonly block: PemBlock } | { readonly fault: string };

function findCertificate(blocks: readonly PemBlock[]): Found {
  const block = blocks.find(({ type }) => type === 'CERTIFICATE');
  if (block !== undefined) return { block };
  const types = blocks.map(({ type }) => type);
  if (types.length === 0) return { fault: 'tls: failed to find any PEM data in certificate input' };
  if (types.length === 1 && types[0]?.endsWith('PRIVATE KEY')) {
    const found = 'tls: failed to find certificate PEM data in certificate input, but did find a private key';
    return { fault: `${found}; PEM inputs may have been switched` };
  }
  const missing = 'tls: failed to find "CERTIFICATE" PEM block in certificate input';
  return { fault: `${missing} after skipping PEM blocks of the following types: [${types.join(' ')}]` };
}

function findKey(blocks: readonly PemBlock[]): Found {
  const block = blocks.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (block !== undefined) return { block };
  const types = blocks.map(({ type }) => type);
  if (types.length === 0) return { fault: 'tls: failed to find any PEM data in key input' };
  if (types.length === 1 && types[0] === 'CERTIFICATE') {
    return { fault: 'tls: found a certificate rather than a key in the PEM for the private key' };
  }
  const missing = 'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input';
  return { fault: `${missing} after skipping PEM blocks of the following types: [${types.join(' ')}]` };
}

/** The key; a text with the reason why there is none. Upstream: parsePrivateKey of crypto/tls */
function privateKeyIn({ bytes }: PemBlock): KeyObject | string {
  const key = attempt(() => parsedKey(bytes));
  if (key?.asymmetricKeyType === 'x25519') return 'tls: found unknown private key type in PKCS#8 wrapping';
  return key !== undefined && isOnKnownCurve(key) ? key : 'tls: failed to parse private key';
}

/** The type of the block does not count. As upstream, only PKCS#1 refuses bytes behind the key. Throws for no DER. */
function parsedKey(der: Uint8Array): KeyObject | undefined {
  const { bytes, content } = readFirstDerElement(der);
  const type = formOf(content);
  if (type === undefined || (type === 'pkcs1' && bytes.length < der.length)) return undefined;
  return createPrivateKey({ key: Buffer.from(bytes), format: 'der', type });
}

/**
 * The form of a private key; undefined for an algorithm that Go does not know. OpenSSL computes the public key of some,
 * which takes minutes for long numbers. Throws for no DER.
 */
function formOf(content: Uint8Array): 'pkcs8' | 'pkcs1' | 'sec1' | undefined {
  const [, second] = readDerElements(content);
  if (second?.tag === derTag.integer) return 'pkcs1';
  if (second?.tag === derTag.octetString) return 'sec1';
  const [algorithm] = readDerElements(second?.content ?? new Uint8Array());
  return ALGORITHMS.has(readDerIdentifier(algorithm)) ? 'pkcs8' : undefined;
}

function mismatch(publicKey: KeyObject | undefined, privateKey: KeyObject): string | undefined {
  if (publicKey === undefined || !SUPPORTED.has(publicKey.asymmetricKeyType))
    return 'tls: unknown public key algorithm';
  if (publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  const matches = createPublicKey(privateKey).equals(publicKey);
  return matches ? undefined : 'tls: private key does not match public key';
}
