import { ListValue, MapValue, OpaqueValue, OptionalValue, type Result } from './value.js';

/**
 * The size by which calls cost: characters, bytes, elements, entries. 1 for values without a size, and for errors.
 *
 * Upstream: actualSize in github.com/google/cel-go/interpreter/runtimecost.go
 */
export function actualSize(value: Result): number {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue || value instanceof MapValue || value instanceof OpaqueValue) return value.size;
  if (value instanceof OptionalValue && value.value !== undefined) return actualSize(value.value);
  return 1;
}

const SURROGATES = /[\ud800-\udfff]/;

/** The number of code points of a text. */
export function codePoints(text: string): number {
  // Most texts have one unit for each: the engine finds that at once.
  if (!SURROGATES.test(text)) return text.length;
  let count = text.length;
  for (let index = 1; index < text.length; index++) {
    if (isLowSurrogate(text.charCodeAt(index)) && isHighSurrogate(text.charCodeAt(index - 1))) count--;
  }
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}
