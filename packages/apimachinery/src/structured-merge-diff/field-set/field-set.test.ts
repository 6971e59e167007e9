import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_SET, FieldSet } from './field-set.js';
import { fieldsV1Of, parseFieldsV1 } from './fields-v1.js';
import { type FieldPathElements, fieldElement, keyElement, printFieldPath, valueElement } from './path-element.js';

const element = fc.oneof(
  fc.constantFrom('a', 'b', 'c').map(fieldElement),
  fc.constantFrom('x', 'y').map((name) => keyElement(['name'], [name])),
  fc.constantFrom(1, 'v').map(valueElement),
);
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const paths = fc.array(path, { maxLength: 12 });

const text = (member: FieldPathElements): string => member.join('|');
const model = (members: readonly FieldPathElements[]): Set<string> => new Set(members.map(text));
const textsOf = (set: FieldSet): Set<string> => new Set([...set.paths()].map(text));
const isBelow = (member: string, others: ReadonlySet<string>): boolean =>
  [...others].some((other) => member === other || member.startsWith(`${other}|`));

describe('a set equals the set of its paths', () => {
  it('under every operation', () => {
    fc.assert(
      fc.property(paths, paths, path, (left, right, probe) => {
        const [a, b] = [model(left), model(right)];
        const [setA, setB] = [FieldSet.of(...left), FieldSet.of(...right)];
        expect(textsOf(setA)).toEqual(a);
        expect(setA.size).toBe(a.size);
        expect(setA.empty).toBe(a.size === 0);
        expect(setA.has(probe)).toBe(a.has(text(probe)));
        expect(textsOf(setA.union(setB))).toEqual(a.union(b));
        expect(textsOf(setA.intersection(setB))).toEqual(a.intersection(b));
        expect(textsOf(setA.difference(setB))).toEqual(a.difference(b));
        expect(textsOf(setA.recursiveDifference(setB))).toEqual(new Set([...a].filter((m) => !isBelow(m, b))));
        expect(textsOf(setA.leaves())).toEqual(
          new Set([...a].filter((m) => ![...a].some((other) => other.startsWith(`${m}|`)))),
        );
        expect(setA.equals(setB)).toBe(a.symmetricDifference(b).size === 0);
        expect(setA.isWithin(setB)).toBe(a.isSubsetOf(b));
        expect(setA.isWithin(setB.union(setA))).toBe(true);
        // The operations did not change their operands.
        expect([textsOf(setA), textsOf(setB)]).toEqual([a, b]);
      }),
    );
  });

  it('operations without effect return the same set', () => {
    fc.assert(
      fc.property(paths, paths, (left, right) => {
        const set = FieldSet.of(...left, ...right);
        expect(set.union(FieldSet.of(...left))).toBe(set);
        expect(set.intersection(FieldSet.of(...left, ...right))).toBe(set);
        expect(set.difference(EMPTY_SET)).toBe(set);
        expect(
          FieldSet.of(['f:z'], ...left)
            .difference(set)
            .has(['f:z']),
        ).toBe(true);
        expect(set.difference(FieldSet.of(['f:z', 'f:a']))).toBe(set);
      }),
    );
  });

  it('a set survives encoding and decoding', () => {
    fc.assert(
      fc.property(paths, (members) => {
        const set = FieldSet.of(...members);
        const written = fieldsV1Of(set);
        expect(fieldsV1Of(set)).toBe(written);
        expect(parseFieldsV1(written).equals(set)).toBe(true);
        expect(parseFieldsV1(JSON.parse(JSON.stringify(written))).equals(set)).toBe(true);
      }),
    );
  });
});

describe('FieldsV1', () => {
  it('encodes in order; members with nested members have a dot', () => {
    const set = FieldSet.of(
      ['f:b', 'v:"x"'],
      ['f:b'],
      ['f:a', 'f:c'],
      ['f:a', keyElement(['port'], [443])],
      ['f:a', keyElement(['port'], [80])],
      ['f:c'],
    );
    expect(JSON.stringify(fieldsV1Of(set))).toBe(
      String.raw`{"f:a":{"f:c":{},"k:{\"port\":80}":{},"k:{\"port\":443}":{}},"f:b":{".":{},"v:\"x\"":{}},"f:c":{}}`,
    );
    expect([...set.paths()].map(printFieldPath)).toEqual([
      '.b',
      '.c',
      '.a.c',
      '.a[port=80]',
      '.a[port=443]',
      '.b[="x"]',
    ]);
  });

  it('decodes any order, and skips unknown elements', () => {
    const set = parseFieldsV1({ 'f:b': {}, 'x:new': { 'f:a': {} }, 'f:a': { 'k:{"b":1,"a":2}': { '.': {} } } });
    expect([...set.paths()].map(printFieldPath)).toEqual(['.b', '.a[a=2,b=1]']);
    expect(parseFieldsV1({})).toBe(EMPTY_SET);
  });

  it.each([[{ f: {} }], [{ 'f:a': 1 }], [{ 'f:a': [] }]])('rejects %j', (fields) => {
    expect(() => parseFieldsV1(fields as never)).toThrow();
  });
});
