import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { formatPemBlock, type PemBlock, readPemBlocks } from '@apiserver/apimachinery/x509';

/** How tokens are signed. Upstream signs with RSA by RS256 alone, with elliptic curves by what fits the curve. */
export type SignatureAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** A key that verifies tokens. */
export interface VerificationKey {
  /** The `kid` of tokens signed by its private half, and of its entry in the key set. */
  readonly keyId: string;
  readonly algorithm: SignatureAlgorithm;
  readonly key: KeyObject;
}

const curveAlgorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/**
 * The verification keys of PEM text: public keys, certificates, and the public halves of private keys, in the order in
 * which they stand; other blocks are passed over. Throws an Error when there is none.
 * Upstream: k8s.io/client-go/util/keyutil.ParsePublicKeysPEM
 */
export function parseVerificationKeys(pem: string): readonly VerificationKey[] {
  const keys = readPemBlocks(pem).flatMap((block) => {
    const key = publicKeyOf(block);
    return key === undefined ? [] : [verificationKey(key)];
  });
  if (keys.length === 0) throw new Error('data does not contain any valid RSA or ECDSA public keys');
  return keys;
}

/** A private key of PEM text to sign with. Throws an Error when there is none. Upstream: keyutil.ParsePrivateKeyPEM */
export function parseSigningKey(pem: string): KeyObject {
  for (const block of readPemBlocks(pem)) {
    if (!block.type.endsWith('PRIVATE KEY')) continue;
    const key = attempt(() => createPrivateKey(formatPemBlock(block)));
    if (key !== undefined) return key;
  }
  throw new Error('data does not contain a valid RSA or ECDSA private key');
}

/**
 * Takes a key, public or private, for its public half. Throws an Error for a key that tokens are not signed with.
 * Upstream: algorithmFromPublicKey, keyIDFromPublicKey in pkg/serviceaccount
 */
export function verificationKey(key: KeyObject): VerificationKey {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const algorithm = algorithmOf(publicKey);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { key: publicKey, algorithm, keyId: createHash('sha256').update(der).digest('base64url') };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SignatureAlgorithm {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  if (asymmetricKeyType !== 'ec') {
    throw new Error('unknown public key type, must be *rsa.PublicKey, *ecdsa.PublicKey, or jose.OpaqueSigner');
  }
  const algorithm = curveAlgorithms[asymmetricKeyDetails?.namedCurve ?? ''];
  if (algorithm === undefined) throw new Error('unknown private key curve, must be 256, 384, or 521');
  return algorithm;
}

/** Undefined for what is no key, or neither RSA nor elliptic. */
function publicKeyOf(block: PemBlock): KeyObject | undefined {
  const key = attempt(() => {
    if (block.type === 'CERTIFICATE') return new X509Certificate(block.bytes).publicKey;
    const text = formatPemBlock(block);
    return block.type.endsWith('PRIVATE KEY') ? createPublicKey(createPrivateKey(text)) : createPublicKey(text);
  });
  return key?.asymmetricKeyType === 'rsa' || key?.asymmetricKeyType === 'ec' ? key : undefined;
}

function attempt(make: () => KeyObject): KeyObject | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
