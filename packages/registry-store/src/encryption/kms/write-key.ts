import type { Transformer } from '../../objects/transformer.js';
import type { KeySource } from './encrypted-object.js';

/** The key that encrypts values, and its expiry. */
export interface WriteKey extends KeySource {
  readonly transformer: Transformer;
  /** The encoded source that every value includes. */
  readonly encoded: Uint8Array;
  readonly cacheKey: string;
  /** By the clock for durations: later writes fail unless the plugin was healthy in between. */
  readonly usableUntil: number;
  /** The same as a date, for messages. */
  readonly expiresAt: number;
}
