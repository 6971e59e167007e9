import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { Transformer } from '../../objects/transformer.js';
import { EncryptionError } from '../encryption-error.js';
import { aesGcmTransformer } from './aes-gcm.js';
import { TOO_SHORT } from './cipher-names.js';

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
  // HKDF's expansion (RFC 5869) to one block of SHA-256.
  const derive = (info: Uint8Array): Transformer =>
    aesGcmTransformer(createHmac('sha256', secret).update(info).update(FIRST_BLOCK).digest());
  return {
    toStorage(bytes, authenticated) {
      const info = randomBytes(INFO);
      return Buffer.concat([info, derive(info).toStorage(bytes, authenticated)]);
    },
    fromStorage(stored, authenticated) {
      if (stored.length < INFO) throw new EncryptionError(TOO_SHORT);
      return derive(stored.subarray(0, INFO)).fromStorage(stored.subarray(INFO), authenticated);
    },
  };
}

const FIRST_BLOCK = Uint8Array.of(1);
