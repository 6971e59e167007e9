export { createEncryptionMetrics } from './create-encryption-metrics.js';
export { type Encryption, type EncryptionCheck, type EncryptionOptions, openEncryption } from './encryption.js';
