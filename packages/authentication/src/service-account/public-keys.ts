import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { ParseError } from '@apiserver/apimachinery/text';
import { formatPemBlock, isOnKnownCurve, type PemBlock, readPemBlocks } from '@apiserver/apimachinery/x509';

/**
 * Signature algorithms of tokens. As upstream: RSA keys use RS256, and elliptic curve keys the algorithm of their
 * curve.
 */
export type SignatureAlgorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** A key that verifies tokens. */
export interface VerificationKey {
  /** The `kid` of tokens signed by the private key, and of its entry in the key set. */
  readonly keyId: string;
  readonly algorithm: SignatureAlgorithm;
  readonly key: KeyObject;
  /** True for a key that only verifies old tokens: it is not published. */
  readonly excludeFromDiscovery?: boolean;
}

const curveAlgorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/**
 * The verification keys in PEM text: public keys, certificates, and the public halves of private keys, in order.
 * Other blocks are skipped. Throws a ParseError if there is no key.
 * Upstream: k8s.io/client-go/util/keyutil.ParsePublicKeysPEM
 */
export function parseVerificationKeys(pem: string): readonly VerificationKey[] {
  const keys = readPemBlocks(pem).flatMap((block) => {
    const key = publicKeyOf(block);
    return key === undefined ? [] : [verificationKey(key)];
  });
  if (keys.length === 0) throw new ParseError('data does not contain any valid RSA or ECDSA public keys');
  return keys;
}

/** The signing key in PEM text. Throws a ParseError if there is none. Upstream: keyutil.ParsePrivateKeyPEM */
export function parseSigningKey(pem: string): KeyObject {
  for (const block of readPemBlocks(pem)) {
    if (!block.type.endsWith('PRIVATE KEY')) continue;
    const key = attempt(() => createPrivateKey(formatPemBlock(block)));
    if (key !== undefined) return key;
  }
  throw new ParseError('data does not contain a valid RSA or ECDSA private key');
}

/**
 * Makes a verification key of a public or private key. Throws a ParseError for a key of an unsupported type.
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
    throw new ParseError('unknown public key type, must be *rsa.PublicKey, *ecdsa.PublicKey, or jose.OpaqueSigner');
  }
  const algorithm = curveAlgorithms[asymmetricKeyDetails?.namedCurve ?? ''];
  if (algorithm === undefined) throw new ParseError('unknown private key curve, must be 256, 384, or 521');
  return algorithm;
}

/**
 * Undefined if the block holds no RSA or elliptic curve key. Its bytes count, not its type: PKCS#1 and PKCS#8 hold
 * private RSA keys, and SEC1 those of elliptic curves; public keys are PKIX.
 */
function publicKeyOf({ bytes }: PemBlock): KeyObject | undefined {
  const key = Buffer.from(bytes);
  const ofPrivate = (type: 'pkcs1' | 'pkcs8' | 'sec1') =>
    attempt(() => createPublicKey(createPrivateKey({ key, format: 'der', type })));
  const wrapped = ofPrivate('pkcs8');
  // The other forms accept PKCS#8, too.
  if (wrapped !== undefined) return wrapped.asymmetricKeyType === 'rsa' ? wrapped : undefined;
  const found =
    ofPrivate('pkcs1') ??
    attempt(() => createPublicKey({ key, format: 'der', type: 'spki' })) ??
    attempt(() => new X509Certificate(key).publicKey) ??
    ofPrivate('sec1');
  const isSupported = found?.asymmetricKeyType === 'rsa' || found?.asymmetricKeyType === 'ec';
  return isSupported && isOnKnownCurve(found) ? found : undefined;
}

function attempt(make: () => KeyObject): KeyObject | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
