import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldSet } from '../field-set/field-set.js';
import { fieldsV1Of } from '../field-set/fields-v1.js';
import { DEDUCED, type MergeType } from '../field-set/merge-type.js';
import { fieldElement } from '../field-set/path-element.js';
import { compareTyped } from './compare-typed.js';
import { hasSignature, shapeSignature, signatureText } from './shape-signature.js';
import { toFieldSet } from './to-field-set.js';

const item: MergeType = {
  map: {
    atomic: false,
    element: { scalar: 'string' },
    fields: new Map([
      ['name', { type: { scalar: 'string' }, element: fieldElement('name'), default: undefined }],
      ['port', { type: { scalar: 'numeric' }, element: fieldElement('port'), default: undefined }],
    ]),
  },
};
const keyed: MergeType = { list: { atomic: false, element: item, keys: ['name'], sortedKeys: ['name'] } };
const set: MergeType = { list: { atomic: false, element: { scalar: 'string' }, keys: [], sortedKeys: [] } };
const atomic: MergeType = { map: { atomic: true, element: { scalar: 'string' }, fields: new Map() } };

const type: MergeType = {
  map: {
    atomic: false,
    element: DEDUCED,
    fields: new Map(
      Object.entries({ keyed, set, atomic, items: keyed, record: item }).map(([name, member]) => [
        name,
        { type: member, element: fieldElement(name), default: undefined },
      ]),
    ),
  },
};

const base = { kind: 'Thing', metadata: { time: null }, spec: {}, size: 0, labels: {}, items: null, record: null };

const word = fc.constantFrom('a', 'b', '1:a');
const member: fc.Arbitrary<object> = fc.oneof(
  fc.record({ kind: fc.constantFrom('Thing', 'Other') }),
  fc.record({ metadata: fc.constantFrom<unknown>({ time: null }, { time: 'now' }, {}, null) }),
  fc.record({ spec: fc.dictionary(word, fc.oneof(word, fc.dictionary(word, word)), { maxKeys: 2 }) }),
  fc.record({ size: fc.constantFrom(0, 1) }),
  fc.record({ labels: fc.dictionary(word, word, { maxKeys: 2 }) }),
  fc.record({ extra: fc.constantFrom<unknown>('x', [], ['x'], {}, null) }),
  fc.record({
    keyed: fc.array(fc.record({ name: word, port: fc.constantFrom<unknown>(1, 2, 'x') }), { maxLength: 2 }),
  }),
  fc.record({
    items: fc.array(fc.record({ name: word, port: fc.constantFrom<unknown>(1, null) }), { maxLength: 2 }),
  }),
  fc.record({ record: fc.oneof(word, fc.dictionary(word, word, { maxKeys: 1 })) }),
  fc.record({ set: fc.array(word, { maxLength: 2 }) }),
  fc.record({ atomic: fc.dictionary(word, word, { maxKeys: 1 }) }),
);
const value = fc.array(member, { maxLength: 3 }).map((members): object => Object.assign({}, base, ...members));

function written(sets: Readonly<Record<string, FieldSet>>): unknown {
  return Object.fromEntries(Object.entries(sets).map(([name, fields]) => [name, fieldsV1Of(fields)]));
}

function textOf(base: unknown, sent: unknown): string | undefined {
  const signature = shapeSignature(type, base, sent);
  return signature && signatureText(signature);
}

describe('shapeSignature', () => {
  test('a value has exactly the signatures equal to its own', () => {
    let shared = 0;
    fc.assert(
      fc.property(value, value, (one, other) => {
        const signature = shapeSignature(type, base, one);
        if (signature === undefined) return;
        const isSame = signatureText(signature) === textOf(base, other);
        if (isSame) shared++;
        expect([hasSignature(signature, type, base, one), hasSignature(signature, type, base, other)]).toEqual([
          true,
          isSame,
        ]);
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 3_000 },
    );
    expect(shared).toBeGreaterThan(20);
  });

  test('a prefix of a signature does not match', () => {
    const sent = { ...base, extra: { a: 'x' } };
    const signature = shapeSignature(type, base, sent) ?? [];
    expect([
      hasSignature([...signature, 0], type, base, sent),
      hasSignature(signature.slice(0, -1), type, base, sent),
    ]).toEqual([false, false]);
  });

  test('equal signatures mean equal differences, and no faults', () => {
    const known = new Map<string, unknown>();
    let shared = 0;
    fc.assert(
      fc.property(value, (sent) => {
        const signature = textOf(base, sent);
        if (signature === undefined) return;
        const difference = written({ ...compareTyped(type, base, sent) });
        if (known.has(signature)) shared++;
        else known.set(signature, difference);
        expect(difference).toEqual(known.get(signature));
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 3_000 },
    );
    expect(shared).toBeGreaterThan(100);
    expect(known.size).toBeGreaterThan(100);
  });

  test('without a base they mean equal sets of mentioned fields', () => {
    const known = new Map<string, unknown>();
    let shared = 0;
    fc.assert(
      fc.property(fc.array(member, { maxLength: 3 }), (members) => {
        const sent = Object.assign({}, ...members);
        const signature = textOf(undefined, sent);
        if (signature === undefined) return;
        const mentioned = fieldsV1Of(toFieldSet(type, sent));
        if (known.has(signature)) shared++;
        else known.set(signature, mentioned);
        expect(mentioned).toEqual(known.get(signature));
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 3_000 },
    );
    expect(shared).toBeGreaterThan(100);
    expect(known.size).toBeGreaterThan(100);
  });

  const same = { ...base, metadata: base.metadata };
  test.each<[string, unknown, unknown, boolean]>([
    ['values of scalars do not count', { ...same, extra: 'a' }, { ...same, extra: 'b' }, true],
    ['what the base has counts', { ...same, size: 1 }, { ...same, size: 0 }, false],
    ['names count', { ...same, extra: { a: 'x' } }, { ...same, extra: { b: 'x' } }, false],
    ['an empty map is no missing one', { ...same, extra: {} }, { ...same }, false],
    ['keys of items count', { ...same, keyed: [{ name: 'a' }] }, { ...same, keyed: [{ name: 'b' }] }, false],
    [
      'values of items do not',
      { ...same, keyed: [{ name: 'a', port: 1 }] },
      { ...same, keyed: [{ name: 'a', port: 2 }] },
      true,
    ],
    [
      'a list that is null in the base is like a missing one',
      { ...same, items: [{ name: 'a', port: 1 }] },
      { ...same, items: [{ name: 'a', port: 2 }] },
      true,
    ],
    ['members of sets count', { ...same, set: ['a'] }, { ...same, set: ['b'] }, false],
    [
      'a name cannot pass for two',
      { ...same, extra: { '1:a+1:b': 'x' } },
      { ...same, extra: { a: 'x', b: 'x' } },
      false,
    ],
  ])('%s', (_, one, other, expected) => {
    expect(textOf(base, one)).toBeDefined();
    expect(textOf(base, one) === textOf(base, other)).toBe(expected);
  });

  test.each<[string, unknown]>([
    ['a null', { ...same, extra: null }],
    ['something that the base alone has', { kind: 'Thing' }],
    ['a value of another type', { ...same, keyed: [{ name: 'a', port: 'x' }] }],
    ['an item without its key', { ...same, keyed: [{ port: 1 }] }],
    ['an item that is there twice', { ...same, set: ['a', 'a'] }],
    [
      'an object of very many fields',
      { ...same, extra: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [i, ''])) },
    ],
  ])('there is none for %s', (_, sent) => {
    expect(shapeSignature(type, base, sent)).toBeUndefined();
  });

  test('skips items of lists that are too long or unexpected', () => {
    let looked = 0;
    const one = {
      get name() {
        looked++;
        return 'a';
      },
    };
    const sent = { ...base, keyed: [one] };
    const signature = shapeSignature(type, base, { ...base, keyed: [] }) ?? [];
    expect([
      shapeSignature(type, base, { ...base, keyed: Array(9_000).fill(one) }),
      hasSignature(signature, type, base, sent),
      looked,
    ]).toEqual([undefined, false, 0]);
    shapeSignature(type, base, sent);
    expect(looked).toBeGreaterThan(0);
  });
});
