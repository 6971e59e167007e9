import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { formatPemBlock, type PemBlock, readPemBlocks } from '@apiserver/apimachinery/x509';

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
  const publicKey = publicKeyOf(certificate.block);
  if (publicKey === undefined) return 'x509: malformed certificate';
  const privateKey = parsedPrivateKey(key.block);
  if (privateKey === undefined) return 'tls: failed to parse private key';
  return mismatch(publicKey, privateKey);
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

function publicKeyOf({ bytes }: PemBlock): KeyObject | undefined {
  return attempt(() => new X509Certificate(bytes).publicKey);
}

function parsedPrivateKey(block: PemBlock): KeyObject | undefined {
  return attempt(() => createPrivateKey(formatPemBlock(block)));
}

function mismatch(publicKey: KeyObject, privateKey: KeyObject): string | undefined {
  if (!['rsa', 'ec', 'ed25519'].includes(publicKey.asymmetricKeyType ?? '')) return 'tls: unknown public key algorithm';
  if (publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  const matches = createPublicKey(privateKey).equals(publicKey);
  return matches ? undefined : 'tls: private key does not match public key';
}

/** Undefined if the library rejects the input, which a client may have sent. */
function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
