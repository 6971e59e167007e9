import { createHash } from 'node:crypto';

/** Longest text that is kept as it is. */
const MAX_LENGTH = 256;

/** A key for a text from a client, of bounded length: a digest stands for a long one. */
export function boundedKey(text: string): string {
  return text.length <= MAX_LENGTH ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
