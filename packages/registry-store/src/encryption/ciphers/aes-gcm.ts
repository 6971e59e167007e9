import { type CipherGCMTypes, createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { Transformer } from '../../objects/transformer.js';
import { EncryptionError } from '../encryption-error.js';
import { aesName, TOO_SHORT } from './cipher-names.js';

const NONCE = 12;
const TAG = 16;

/**
 * AES-GCM: a random nonce, the encrypted bytes and the tag. The storage key is authenticated, so that a value cannot be
 * moved to another key. A key must not write more than 2^32 values.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/aes (NewGCMTransformer)
 */
export function aesGcmTransformer(key: Uint8Array): Transformer {
  const algorithm: CipherGCMTypes = aesName(key, 'gcm') as CipherGCMTypes;
  const secret = createSecretKey(key);
  return {
    toStorage(bytes, authenticated) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(algorithm, secret, nonce);
      cipher.setAAD(Buffer.from(authenticated));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    fromStorage(stored, authenticated) {
      if (stored.length < NONCE) throw new EncryptionError(TOO_SHORT);
      const tagAt = stored.length - TAG;
      if (tagAt < NONCE) throw new EncryptionError(FORGED);
      const decipher = createDecipheriv(algorithm, secret, stored.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(Buffer.from(authenticated));
      decipher.setAuthTag(stored.subarray(tagAt));
      const bytes = decipher.update(stored.subarray(NONCE, tagAt));
      authenticate(decipher);
      return { bytes, stale: false };
    },
  };
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
