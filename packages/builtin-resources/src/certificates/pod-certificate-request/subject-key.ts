import { createPublicKey, type KeyObject } from 'node:crypto';
import { derTag, readDerElements, readObjectIdentifier, readOnlyDerElement } from '@apiserver/apimachinery/x509';

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
const ED25519 = '1.3.101.112';
/** Keys that upstream parses and then refuses: X25519 and DSA. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['1.3.101.110', '1.2.840.10040.4.1']);
const P224 = '1.3.132.0.33';
const CURVES: ReadonlySet<string> = new Set(['1.2.840.10045.3.1.7', '1.3.132.0.34', '1.3.132.0.35']);
const MODULUS_BITS: ReadonlySet<number> = new Set([3072, 4096]);
/** The first byte of a point that is not compressed. */
const UNCOMPRESSED = 4;

/** A key that a certificate can be issued to. */
export interface SubjectKey {
  readonly key: KeyObject;
  readonly type: 'rsa' | 'ec' | 'ed25519';
}

/** The reason for the refusal of a key. `shown` is the part that the message has; undefined means the whole key. */
export interface KeyFault {
  readonly fault: 'malformed' | 'type' | 'curve' | 'modulus';
  readonly shown?: string;
}

/**
 * Reads a SubjectPublicKeyInfo in DER.
 * Upstream: ParsePKIXPublicKey of crypto/x509, and the key types of pkg/apis/certificates/validation/validation.go
 */
export function readSubjectKey(der: Uint8Array): SubjectKey | KeyFault {
  const parts = readParts(der);
  if (parts === undefined) return { fault: 'malformed' };
  if (UNSUPPORTED.has(parts.algorithm)) return { fault: 'type' };
  const key = parseKey(der);
  if (key === undefined) return { fault: 'malformed' };
  switch (parts.algorithm) {
    case ED25519:
      return { key, type: 'ed25519' };
    case RSA:
      return readRsaKey(key);
    case EC:
      return readCurveKey(key, parts);
    default:
      return { fault: 'malformed' };
  }
}

function readRsaKey(key: KeyObject): SubjectKey | KeyFault {
  const bits = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8) * 8;
  return MODULUS_BITS.has(bits) ? { key, type: 'rsa' } : { fault: 'modulus', shown: `${bits}-bit modulus` };
}

function readCurveKey(key: KeyObject, { curve, point }: KeyParts): SubjectKey | KeyFault {
  if (point[0] !== UNCOMPRESSED) return { fault: 'malformed' };
  if (CURVES.has(curve)) return { key, type: 'ec' };
  return curve === P224 ? { fault: 'curve', shown: 'curve P-224' } : { fault: 'malformed' };
}

interface KeyParts {
  readonly algorithm: string;
  /** "" without one. */
  readonly curve: string;
  readonly point: Uint8Array;
}

function readParts(der: Uint8Array): KeyParts | undefined {
  try {
    const [algorithm, bits, ...more] = readDerElements(readOnlyDerElement(der, derTag.sequence).content);
    if (algorithm?.tag !== derTag.sequence || bits?.tag !== derTag.bitString || more.length > 0) return undefined;
    const [name, parameters] = readDerElements(algorithm.content);
    if (name?.tag !== derTag.objectIdentifier) return undefined;
    return {
      algorithm: readObjectIdentifier(name.content),
      curve: parameters?.tag === derTag.objectIdentifier ? readObjectIdentifier(parameters.content) : '',
      point: bits.content.subarray(1),
    };
  } catch {
    return undefined;
  }
}

function parseKey(der: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}
