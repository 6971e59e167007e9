import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../types/json.js';
import { LongList } from './long-list.js';

describe('LongList', () => {
  it('holds the same elements as an array', () => {
    const edit = fc.tuple(fc.constantFrom('insert', 'remove', 'set'), fc.nat());
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.array(edit, { maxLength: 60 }), (size, edits) => {
        const array: Json[] = Array.from({ length: size }, (_, i) => i);
        const list = new LongList(array);
        for (const [i, [kind, at]] of edits.entries()) {
          if (kind === 'insert') {
            const index = at % (array.length + 1);
            array.splice(index, 0, `new ${i}`);
            list.insert(index, `new ${i}`);
          } else if (array.length > 0) {
            const index = at % array.length;
            expect(list.at(index)).toBe(array[index]);
            if (kind === 'set') array[index] = `set ${i}`;
            else array.splice(index, 1);
            if (kind === 'set') list.set(index, `set ${i}`);
            else list.remove(index);
          }
        }
        const written: Json[] = [0, 1];
        list.writeTo(written);
        expect([list.length, [...list], written]).toEqual([array.length, array, array]);
      }),
    );
  });

  it('splits and empties its parts', () => {
    const list = new LongList([]);
    for (let i = 0; i < 5000; i++) list.insert(0, i);
    expect([list.length, list.at(0), list.at(4999)]).toEqual([5000, 4999, 0]);
    for (let i = 0; i < 5000; i++) list.remove(0);
    expect([...list]).toEqual([]);
    list.insert(0, 'x');
    expect([...list]).toEqual(['x']);
  });
});
