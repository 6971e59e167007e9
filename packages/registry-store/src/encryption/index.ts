export { type Encryption, type EncryptionCheck, type EncryptionOptions, openEncryption } from './encryption.js';
export type { EncryptionMetrics, Transformation } from './encryption-metrics.js';
