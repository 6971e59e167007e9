import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { attempt, certificateFault } from './certificate-fault.js';
import { isOnKnownCurve } from './chain/verifiable-key.js';
import { isFollowedByOthers } from './der-reader.js';
import { type PemBlock, readPemBlocks } from './pem-block.js';

/** Types of keys that Go uses for TLS. */
const SUPPORTED: ReadonlySet<string | undefined> = new Set(['rsa', 'ec', 'ed25519']);

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
  return mismatch(new X509Certificate(certificate.block.bytes).publicKey, privateKey);
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
  const key = parsedKey(bytes);
  if (key?.asymmetricKeyType === 'x25519') return 'tls: found unknown private key type in PKCS#8 wrapping';
  const isRead = SUPPORTED.has(key?.asymmetricKeyType) && key !== undefined && isOnKnownCurve(key);
  return isRead ? key : 'tls: failed to parse private key';
}

/** The type of the block does not count. */
function parsedKey(der: Uint8Array): KeyObject | undefined {
  if (isFollowedByOthers(der)) return undefined;
  for (const type of ['pkcs8', 'pkcs1', 'sec1'] as const) {
    const key = attempt(() => createPrivateKey({ key: Buffer.from(der), format: 'der', type }));
    if (key !== undefined) return key;
  }
  return undefined;
}

function mismatch(publicKey: KeyObject, privateKey: KeyObject): string | undefined {
  if (!SUPPORTED.has(publicKey.asymmetricKeyType)) return 'tls: unknown public key algorithm';
  if (publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  const matches = createPublicKey(privateKey).equals(publicKey);
  return matches ? undefined : 'tls: private key does not match public key';
}
