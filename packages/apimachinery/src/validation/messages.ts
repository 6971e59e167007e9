/**
 * The message for a value that is longer than `bytes` bytes. Upstream counts bytes in both wordings; the rules for
 * names say characters, the rules for label keys and values say bytes.
 */
export function maxLengthMessage(bytes: number, unit: 'bytes' | 'characters' = 'characters'): string {
  return `must be no more than ${bytes} ${unit}`;
}

/** The message for a value that does not match a pattern. `pattern` is printed without its anchors. */
export function patternMessage(message: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

/** The message for a number out of bounds. */
export function inclusiveRangeMessage(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

/** The message for an empty text. */
export const EMPTY_MESSAGE = 'must be non-empty';

/** Reports whether a text exceeds a number of UTF-8 bytes; counts them only if it may. */
export function isLongerThan(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && byteLength(text) > bytes);
}

/** Length in UTF-8, which upstream's bounds count. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
