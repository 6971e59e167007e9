import { createHmac, createSecretKey } from 'node:crypto';
import type { Transformer } from '../../objects/transformer.js';
import { EncryptionError } from '../encryption-error.js';
import { type GcmKey, openGcm, sealGcm } from './aes-gcm.js';
import { TOO_SHORT } from './cipher-names.js';
import { Nonces } from './nonces.js';

const INFO = 32;

/** Size of the random seed from which the keys of values are derived. */
export const SEED_SIZE = 32;

/**
 * AES-GCM with a separate key for every value, derived from a seed and 32 random bytes in front of the value: a seed
 * may write any number of values. Throws for a seed that is too short.
 * Upstream: k8s.io/apiserver/pkg/storage/value/encrypt/aes (NewHKDFExtendedNonceGCMTransformer)
 */
export function extendedNonceGcmTransformer(seed: Uint8Array): Transformer {
  if (seed.length < SEED_SIZE) throw new EncryptionError(`invalid seed length ${seed.length} used for key generation`);
  const secret = createSecretKey(seed);
  const nonces = new Nonces();
  // HKDF's expansion (RFC 5869) to one block of SHA-256. A key is used once, so it gets no KeyObject.
  const derive = (info: Uint8Array): GcmKey => ({
    algorithm: 'aes-256-gcm',
    secret: createHmac('sha256', secret).update(info).update(FIRST_BLOCK).digest(),
  });
  return {
    toStorage(bytes, authenticated) {
      const info = nonces.take(INFO);
      const [nonce, encrypted, tag] = sealGcm(derive(info), nonces, bytes, authenticated);
      return Buffer.concat([info, nonce, encrypted, tag]);
    },
    fromStorage(stored, authenticated) {
      if (stored.length < INFO) throw new EncryptionError(TOO_SHORT);
      return openGcm(derive(stored.subarray(0, INFO)), stored.subarray(INFO), authenticated);
    },
  };
}

const FIRST_BLOCK = Uint8Array.of(1);
