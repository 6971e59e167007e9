import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys } from './key-order.js';
import { OrderedMap } from './ordered-map.js';

const key = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\0', 'é', '\uffee', '\u{1f600}'), maxLength: 6 });
const operation = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant('set' as const), key) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('delete' as const), key) },
);

describe('compareKeys', () => {
  it('orders by UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });

  it('orders the characters around the surrogates', () => {
    const keys = ['', '\ud7ff', '\ud7ff\ue000', '\ue000', '\ue000a', '\uffff', '\u{10000}', '\u{10ffff}'];
    expect(keys.toReversed().toSorted(compareKeys)).toEqual(keys);
    expect(keys.map((key) => compareKeys(key, key))).toEqual(keys.map(() => 0));
  });
});

describe('OrderedMap', () => {
  it('equals a sorted map after random operations', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 400 }), key, key, fc.nat(20), (operations, start, end, limit) => {
        const map = new OrderedMap<number>();
        const model = new Map<string, number>();
        for (const [i, [type, k]] of operations.entries()) {
          const before = model.get(k);
          if (type === 'set') model.set(k, i);
          else model.delete(k);
          expect(type === 'set' ? map.set(k, i) : map.delete(k)).toBe(before);
        }
        const inRange = [...model].filter(([k]) => compareKeys(k, start) >= 0 && compareKeys(k, end) < 0);
        const expected = inRange.toSorted(([a], [b]) => compareKeys(a, b)).map(([, v]) => v);
        expect(map.size).toBe(model.size);
        for (const [k, v] of model) expect(map.get(k)).toBe(v);
        if (compareKeys(start, end) <= 0) {
          expect(map.values(start, end)).toEqual(expected);
          expect(map.values(start, end, limit)).toEqual(expected.slice(0, limit));
          expect(map.count(start, end)).toBe(expected.length);
        }
      }),
    );
  });

  it('works across many chunks', () => {
    const map = new OrderedMap<number>();
    const name = (i: number) => String(i).padStart(6, '0');
    for (let i = 0; i < 5000; i++) map.set(name((i * 7919) % 5000), (i * 7919) % 5000);
    expect(map.values('', '~')).toEqual(Array.from({ length: 5000 }, (_, i) => i));
    expect(map.count(name(1000), name(4000))).toBe(3000);
    for (let i = 0; i < 5000; i += 2) map.delete(name(i));
    expect(map.values(name(100), '~', 3)).toEqual([101, 103, 105]);
    expect([map.size, map.count('', '~')]).toEqual([2500, 2500]);
  });

  it('finds no value under a key that it does not have', () => {
    const map = new OrderedMap<number>();
    expect([map.get('a'), map.delete('a'), map.values('', '~')]).toEqual([undefined, undefined, []]);
    map.set('b', 1);
    map.set('d', 2);
    expect(['a', 'b', 'c', 'd', 'e'].map((key) => map.get(key))).toEqual([undefined, 1, undefined, 2, undefined]);
  });

  it('finds the others when all keys of a chunk are gone', () => {
    const map = new OrderedMap<number>();
    const name = (i: number) => String(i).padStart(6, '0');
    for (let i = 0; i < 1024; i++) map.set(name(i), i);
    for (let i = 256; i < 512; i++) map.delete(name(i));
    const others = Array.from({ length: 1024 }, (_, i) => i).filter((i) => i < 256 || i >= 512);
    expect(others.filter((i) => map.get(name(i)) !== i)).toEqual([]);
    expect(map.values('', '~')).toEqual(others);
    expect(map.values('', '~', 300)).toEqual(others.slice(0, 300));
    expect(map.values(name(200), '~', 600)).toEqual(others.slice(200));
    expect(map.count('', name(512))).toBe(256);
  });

  it('keeps copies apart, and finds what differs between them', () => {
    const few = fc.tuple(fc.nat(2), fc.constantFrom('set' as const, 'delete' as const, 'copy' as const), fc.nat(1999));
    fc.assert(
      fc.property(fc.array(few, { maxLength: 80 }), (operations) => {
        const maps = [new OrderedMap<number>()];
        const models = [new Map<string, number>()];
        const name = (i: number) => String(i).padStart(4, '0');
        for (let i = 0; i < 2000; i += 2) {
          maps[0]?.set(name(i), i);
          models[0]?.set(name(i), i);
        }
        for (const [i, [which, type, k]] of operations.entries()) {
          const map = maps[which % maps.length] as OrderedMap<number>;
          const model = models[which % maps.length] as Map<string, number>;
          if (type === 'set') {
            expect(map.set(name(k), -i)).toBe(model.get(name(k)));
            model.set(name(k), -i);
          } else if (type === 'delete') {
            expect(map.delete(name(k))).toBe(model.get(name(k)));
            model.delete(name(k));
          } else if (maps.length < 3) {
            maps.push(map.copy());
            models.push(new Map(model));
          }
        }
        for (const [i, map] of maps.entries()) {
          const model = models[i] as Map<string, number>;
          expect(map.values('', '~')).toEqual([...model].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, v]) => v));
          const [first, other] = [maps[0] as OrderedMap<number>, models[0] as Map<string, number>];
          const keys = [...new Set([...model.keys(), ...other.keys()])].toSorted();
          const expected = keys.filter((key) => model.get(key) !== other.get(key));
          expect(first.differences(map)).toEqual(
            expected.map((key) => ({ key, before: other.get(key), after: model.get(key) })),
          );
        }
      }),
    );
  });
});
