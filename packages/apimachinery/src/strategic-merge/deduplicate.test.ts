import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../types/json.js';
import { deduplicate } from './deduplicate.js';

/** Upstream's algorithm, which compares all pairs. */
function comparingAll(values: readonly Json[]): Json[] {
  const items = [...values];
  let length = items.length;
  for (let i = 0; i < length - 1; i++) {
    for (let j = i + 1; j < length; j++) {
      if (items[i] !== items[j]) continue;
      items[j] = items[--length] as Json;
      j--;
    }
  }
  return items.slice(0, length);
}

describe('deduplicate', () => {
  it('has the result of comparing all pairs', () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('a', 'b', 'c', true, false, null));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 24 }), (values) => {
        expect(deduplicate(values)).toEqual(comparingAll(values));
      }),
      { numRuns: 2000 },
    );
  });
});
