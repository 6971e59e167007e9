import { DecodeError } from '../../errors/decode-error.js';

/**
 * How deep an object may nest that the server keeps. Upstream allows 10,000; everything that walks objects here does so by
 * recursion, and must not run out of stack on what a client sent.
 */
export const MAX_VALUE_DEPTH = 1_000;

/** Throws DecodeError when a value nests deeper than the server keeps. Does not recurse itself. */
export function checkDepth(value: unknown): void {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_VALUE_DEPTH) throw new DecodeError('syntax', 'exceeded max depth');
    level = level.flatMap((container) => Object.values(container).filter(isContainer));
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
