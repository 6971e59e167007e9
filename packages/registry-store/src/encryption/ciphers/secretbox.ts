import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { Transformer } from '../../objects/transformer.js';
import { EncryptionError } from '../encryption-error.js';
import { TOO_SHORT } from './cipher-names.js';
import { Nonces } from './nonces.js';

const NONCE = 24;
const TAG = 16;

/**
 * NaCl's secretbox, XSalsa20 and Poly1305: a random nonce, the tag and the encrypted bytes. The storage key is not
 * authenticated. The key has 32 bytes.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/secretbox
 */
export function secretboxTransformer(key: Uint8Array): Transformer {
  const nonces = new Nonces();
  return {
    toStorage(bytes) {
      const nonce = nonces.take(NONCE);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(bytes)]);
    },
    fromStorage(stored) {
      if (stored.length < NONCE + TAG) throw new EncryptionError(TOO_SHORT);
      return { bytes: open(key, stored), stale: false };
    },
  };
}

function open(key: Uint8Array, stored: Uint8Array): Uint8Array {
  try {
    return xsalsa20poly1305(key, stored.subarray(0, NONCE)).decrypt(stored.subarray(NONCE));
  } catch {
    // Upstream's message for every fault.
    throw new EncryptionError('output array was not large enough for encryption');
  }
}
