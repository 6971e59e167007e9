import { createHash } from 'node:crypto';
import type { Transformer } from '../../objects/transformer.js';
import type { KeySource } from './encrypted-object.js';

/** The key that values are encrypted with, and until when. */
export interface WriteKey extends KeySource {
  readonly transformer: Transformer;
  /** The source as it stands in every value. */
  readonly encoded: Uint8Array;
  readonly cacheKey: string;
  /** Milliseconds since the epoch: after that nothing is written with it, unless the plugin was well in between. */
  readonly expiresAt: number;
}

/** Upstream: GetHashIfNotEmpty */
export function hashOf(text: string): string {
  return text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Seconds are all that is shown. Upstream: time.RFC3339 */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
