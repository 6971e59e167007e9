import { EncryptionError } from '../encryption-error.js';
/** AES takes keys of 16, 24 or 32 bytes. Throws an EncryptionError with Go's message for others. */
export function aesName(key: Uint8Array, mode: 'cbc' | 'gcm'): `aes-${128 | 192 | 256}-${'cbc' | 'gcm'}` {
  switch (key.length) {
    case 16:
      return `aes-128-${mode}`;
    case 24:
      return `aes-192-${mode}`;
    case 32:
      return `aes-256-${mode}`;
    default:
      throw new EncryptionError(`crypto/aes: invalid key size ${key.length}`);
  }
}

/** The error of all ciphers for values that are too short. */
export const TOO_SHORT = 'the stored data was shorter than the required size';
