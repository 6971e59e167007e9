import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import type { Transformer } from '../../objects/transformer.js';
import { EncryptionError } from '../encryption-error.js';
import { aesName, TOO_SHORT } from './cipher-names.js';
import { Nonces } from './nonces.js';

const BLOCK = 16;

/**
 * AES-CBC with PKCS#7 padding: a random initialisation vector and the encrypted bytes. It does not authenticate.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/aes (NewCBCTransformer)
 */
export function aesCbcTransformer(key: Uint8Array): Transformer {
  const algorithm = aesName(key, 'cbc');
  const secret = createSecretKey(key);
  const nonces = new Nonces();
  return {
    toStorage(bytes) {
      const vector = nonces.take(BLOCK);
      const cipher = createCipheriv(algorithm, secret, vector);
      return Buffer.concat([vector, cipher.update(bytes), cipher.final()]);
    },
    fromStorage(stored) {
      if (stored.length < BLOCK) throw new EncryptionError(TOO_SHORT);
      if (stored.length % BLOCK !== 0) throw new EncryptionError('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(algorithm, secret, stored.subarray(0, BLOCK));
      // OpenSSL's error for bad padding differs from upstream's.
      decipher.setAutoPadding(false);
      const padded = decipher.update(stored.subarray(BLOCK));
      return { bytes: withoutPadding(padded), stale: false };
    },
  };
}

function withoutPadding(padded: Buffer): Buffer {
  const size = padded.at(-1) ?? 0;
  if (size === 0 || size > padded.length) throw new EncryptionError('invalid PKCS7 data (empty or not padded)');
  const end = padded.length - size;
  if (padded.subarray(end).some((byte) => byte !== size)) throw new EncryptionError('invalid padding on input');
  return padded.subarray(0, end);
}
