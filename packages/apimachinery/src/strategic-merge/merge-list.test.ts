import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STRING } from '../schema/builders.js';
import type { Json } from '../types/json.js';
import { mergeList, orderElements, partitionByPresence } from './merge-list.js';

/**
 * Removal of duplicates as upstream does it: all pairs are compared, and the last value takes the place of a duplicate.
 */
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

describe('mergeList', () => {
  it('merges primitives as if all pairs were compared', () => {
    const options = { schema: STRING, mergeKey: '', isDeletion: false, mergeObject: () => expect.fail() };
    const values = fc.array(fc.nat(40), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(values, values, (original, patch) => {
        const { present, absent } = partitionByPresence(comparingAll([...original, ...patch]), patch, '');
        const expected = orderElements(present, absent, {
          serverOrder: original,
          mergeKey: '',
          areObjects: false,
          patchOrder: patch,
        });
        expect(mergeList(original, patch, options)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
