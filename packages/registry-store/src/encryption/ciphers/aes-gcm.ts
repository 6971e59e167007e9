import { type CipherGCMTypes, createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { Transformed, Transformer } from '../../objects/transformer.js';
import { EncryptionError } from '../encryption-error.js';
import { aesName, TOO_SHORT } from './cipher-names.js';
import { Nonces } from './nonces.js';

const NONCE = 12;
const TAG = 16;

/** A key with the cipher of its size. */
export interface GcmKey {
  readonly algorithm: CipherGCMTypes;
  readonly secret: KeyObject | Uint8Array;
}

/**
 * AES-GCM: a random nonce, the encrypted bytes and the tag. The storage key is authenticated, so that a value cannot be
 * moved to another key. A key must not write more than 2^32 values.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/aes (NewGCMTransformer)
 */
export function aesGcmTransformer(key: Uint8Array): Transformer {
  const gcm = { algorithm: aesName(key, 'gcm') as CipherGCMTypes, secret: createSecretKey(key) };
  const nonces = new Nonces();
  return {
    toStorage: (bytes, authenticated) => Buffer.concat(sealGcm(gcm, nonces, bytes, authenticated)),
    fromStorage: (stored, authenticated) => openGcm(gcm, stored, authenticated),
  };
}

/** The parts of an encrypted value: its nonce, the encrypted bytes, the tag. */
export function sealGcm(
  { algorithm, secret }: GcmKey,
  nonces: Nonces,
  bytes: Uint8Array,
  authenticated: string,
): [nonce: Buffer, encrypted: Buffer, tag: Buffer] {
  const nonce = nonces.take(NONCE);
  const cipher = createCipheriv(algorithm, secret, nonce);
  cipher.setAAD(Buffer.from(authenticated));
  const encrypted = cipher.update(bytes);
  // A stream cipher leaves no bytes to the end.
  cipher.final();
  return [nonce, encrypted, cipher.getAuthTag()];
}

/** Reads a value whose parts are joined. Throws an EncryptionError for a value that is too short, or forged. */
export function openGcm({ algorithm, secret }: GcmKey, stored: Uint8Array, authenticated: string): Transformed {
  if (stored.length < NONCE) throw new EncryptionError(TOO_SHORT);
  const tagAt = stored.length - TAG;
  if (tagAt < NONCE) throw new EncryptionError(FORGED);
  const decipher = createDecipheriv(algorithm, secret, stored.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(authenticated));
  decipher.setAuthTag(stored.subarray(tagAt));
  const bytes = decipher.update(stored.subarray(NONCE, tagAt));
  authenticate(decipher);
  return { bytes, stale: false };
}

/** Go's message: crypto/cipher errOpen. */
const FORGED = 'cipher: message authentication failed';

function authenticate(decipher: { final(): unknown }): void {
  try {
    decipher.final();
  } catch {
    throw new EncryptionError(FORGED);
  }
}
