import { DecodeError } from '../../errors/decode-error.js';

/**
 * Maximum nesting of an object that the server stores. Upstream allows 10,000. Code that walks objects recurses, and
 * client data must not exhaust its stack.
 */
export const MAX_VALUE_DEPTH = 1_000;

/** Throws DecodeError when a value nests deeper than `MAX_VALUE_DEPTH`. Does not recurse itself. */
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
