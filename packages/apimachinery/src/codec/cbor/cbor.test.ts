import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';
import {
  BOOL,
  INT32,
  list,
  map,
  OMIT_EMPTY,
  POINTER,
  RAW_EXTENSION,
  STRING,
  struct,
  TIME,
} from '../../schema/builders.js';
import { defineKind } from '../../schema/define-kind.js';
import type { Json } from '../../types/json.js';
import { compileKind } from '../compile-kind.js';
import { stringifyJson } from '../json/stringify-json.js';
import { decodeCbor, decodeCborMap, decodeCborSteps, decodeCborValue, diagnoseCbor, encodeCborValue } from './index.js';

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
/** The JSON of a value, or its error. */
const read = (hex: string): string => {
  try {
    return stringifyJson(decodeCborValue(bytesOf(hex)));
  } catch (error) {
    if (isDecodeError(error)) return error.message;
    throw error;
  }
};

// All expectations are results of k8s.io/apimachinery 0.36 for the same bytes.
describe('decodeCborValue', () => {
  it.each([
    ['00', '0', '0'],
    ['1818', '24', '24'],
    ['3903e7', '-1000', '-1000'],
    ['1b001fffffffffffff', '9007199254740991', '9007199254740991'],
    ['1b0020000000000000', '9007199254740992', '9007199254740992'],
    ['3b001fffffffffffff', '-9007199254740992', '-9007199254740992'],
    ['3b7fffffffffffffff', '-9223372036854775808', '-9223372036854775808'],
    ['f93e00', '1.5', '1.5'],
    ['fb3ff199999999999a', '1.1', '1.1'],
    ['f4', 'false', 'false'],
    ['f6', 'null', 'null'],
    ['43666f6f', '"foo"', "'foo'"],
    ['63666f6f', '"foo"', '"foo"'],
    ['d643666f6f', '"Zm9v"', "22('foo')"],
    ['d543666f6f', '"Zm9v"', "21('foo')"],
    ['d743666f6f', '"666f6f"', "23('foo')"],
    ['c074323031332d30332d32315432303a30343a30305a', '"2013-03-21T20:04:00Z"', '0("2013-03-21T20:04:00Z")'],
    ['c11a514b67b0', '"2013-03-21T20:04:00Z"', '1(1363896240)'],
    ['c1fb41d452d9ec200000', '"2013-03-21T20:04:00.5Z"', '1(1363896240.5)'],
    ['c400', '0', '4(0)'],
    ['d9d9f783010203', '[1,2,3]', '55799([1, 2, 3])'],
    ['9f0102ff', '[1,2]', '[_ 1, 2]'],
    ['7f61616162ff', '"ab"', '(_ "a", "b")'],
    ['bf616101ff', '{"a":1}', '{_ "a": 1}'],
    ['a1f601', '{"":1}', '{null: 1}'],
    ['a14161d64101', '{"a":"AQ=="}', "{'a': 22('\\u0001')}"],
    ['d6a141614101', '{"YQ==":"AQ=="}', "22({'a': '\\u0001'})"],
  ])('reads %s as %s', (hex, json, diagnostic) =>
    expect([read(hex), diagnoseCbor(bytesOf(hex))]).toEqual([json, diagnostic]),
  );

  const notAccepted = 'cbor: data item of cbor type primitives is not accepted by protocol:';
  const overflow = (what: string, value: string) =>
    `cbor: cannot unmarshal ${what} into Go value of type int64 (${value} overflows Go's int64)`;

  it.each([
    ['', 'EOF'],
    ['8261', 'unexpected EOF'],
    ['0000', 'cbor: 1 bytes of extraneous data starting at index 1'],
    ['1c', 'cbor: invalid additional information 28 for type positive integer'],
    ['ff', 'cbor: unexpected "break" code'],
    ['bf6161ff', 'cbor: unexpected "break" code'],
    ['5f6161ff', 'cbor: wrong element type UTF-8 text string for indefinite-length byte string'],
    ['5f5f4161ffff', 'cbor: indefinite-length byte string chunk is not definite-length'],
    ['5b8000000000000000', 'cbor: byte string length 9223372036854775808 is too large, causing integer overflow'],
    ['9b8000000000000000', 'cbor: array length 9223372036854775808 is too large, it would cause integer overflow'],
    ['ba00200001', 'cbor: exceeded max number of key-value pairs 2097152 for CBOR map'],
    ['1b8000000000000000', overflow('positive integer', '9223372036854775808')],
    ['3b8000000000000000', overflow('negative integer', '-9223372036854775809')],
    ['f97c00', `${notAccepted} floating-point infinity`],
    ['f97e00', `${notAccepted} floating-point NaN`],
    ['f7', `${notAccepted} simple value 23 is not recognized`],
    ['f8ff', `${notAccepted} simple value 255 is not recognized`],
    ['f810', 'cbor: invalid simple value 16 for type primitives'],
    ['db00000000000000024101', 'cbor: data item of cbor type tag is not accepted by protocol: bignum'],
    ['c24101', 'cbor: data item of cbor type tag is not accepted by protocol: bignum'],
    ['c001', 'cbor: tag number 0 must be followed by text string, got positive integer'],
    ['61ff', 'cbor: invalid UTF-8 string'],
    ['a2616101616102', 'cbor: found duplicate map key "a" at map element index 1'],
    ['a10101', 'cbor: cannot unmarshal positive integer into Go value of type string'],
    ['a301f5616101616102', 'cbor: found duplicate map key "a" at map element index 2'],
    ['8201a2616101616102', 'cbor: found duplicate map key "a" at map element index 1'],
    ['82a101f5a2616101616102', 'cbor: cannot unmarshal positive integer into Go value of type string'],
    ['83f061ff00', `${notAccepted} simple value 16 is not recognized`],
    ['a2616161ff616101', 'cbor: invalid UTF-8 string'],
  ])('refuses %s: %s', (hex, message) => expect(read(hex)).toBe(message));

  it('rejects an item that is nested too deep', () =>
    expect([read('81'.repeat(10_001)), read(`${'81'.repeat(1_001)}00`)]).toEqual([
      'cbor: exceeded max nested level 10000',
      'exceeded max depth',
    ]));

  it('looks at 1,000 faults, and at no more', () => {
    const list = (count: number) => read(`82${`9f${'f0'.repeat(count)}ff`}a2616101616102`);
    const nested = (count: number) => read(`a36161${`9f${'f0'.repeat(count)}ff`}616201616202`);
    const [first, duplicate] = [
      `${notAccepted} simple value 16 is not recognized`,
      'cbor: found duplicate map key "b" at map element index 2',
    ];
    expect([list(900), nested(900), nested(1_100)]).toEqual([first, duplicate, first]);
  });

  it('accepts as many tags as the nesting limit allows', () => {
    const TAGS = 9_999;
    const hex = `${'c6'.repeat(TAGS)}00`;
    expect([read(hex), diagnoseCbor(bytesOf(hex))]).toEqual(['0', `${'6('.repeat(TAGS)}0${')'.repeat(TAGS)}`]);
  });

  it('accepts a map for an object, null for an empty one, and nothing else', () => {
    expect([decodeCborMap(bytesOf('d9d9f7a14161f5')), decodeCborMap(bytesOf('f6'))]).toEqual([{ a: true }, {}]);
    const refusal = 'cbor: cannot unmarshal array into Go value of type map[string]interface {}';
    expect(() => decodeCborMap(bytesOf('80'))).toThrow(refusal);
    expect(() => decodeCborMap(bytesOf('62c328'))).toThrow('cbor: invalid UTF-8 string');
  });

  it('ends for arbitrary bytes with a value or a DecodeError', () =>
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
        expect(read(hexOf(bytes)).length).toBeGreaterThan(0);
      }),
    ));
});

describe('decodeCbor', () => {
  const codec = compileKind(
    defineKind(
      ['', 'v1', 'Odd'],
      struct('v1.Odd', 'v1.Odd', () => [
        ['count', 1, INT32, OMIT_EMPTY | POINTER],
        ['flag', 2, BOOL, OMIT_EMPTY],
        ['texts', 4, map(STRING), OMIT_EMPTY],
        ['raw', 5, RAW_EXTENSION, OMIT_EMPTY | POINTER],
        ['time', 6, TIME, OMIT_EMPTY | POINTER],
        ['raws', 7, list(RAW_EXTENSION), OMIT_EMPTY],
        ['inner', 3, struct('v1.Inner', 'v1.Inner', () => [['name', 1, STRING, OMIT_EMPTY]]), OMIT_EMPTY | POINTER],
      ]),
    ),
  );
  /** The object, or its error. */
  const object = (hex: string): unknown => {
    try {
      return decodeCbor(codec, bytesOf(hex), 'Ignore').object;
    } catch (error) {
      if (isDecodeError(error)) return error.message;
      throw error;
    }
  };
  const hexOfText = (text: string) => hexOf(encodeCborValue(text));

  it('takes a null behind a tag for a pointer to zero', () => {
    const [count, inner] = ['count', 'inner'].map((name) => `a1${hexOfText(name)}`);
    expect([`${count}f6`, `${count}d9d9f7f6`, `${inner}f6`, `${inner}d9d9f7f6`].map(object)).toEqual([
      {},
      { count: 0 },
      {},
      { inner: {} },
    ]);
  });

  it('takes a null in a map of texts for the text before, as upstream', () => {
    const [texts, a, b, c] = ['texts', 'a', 'b', 'c'].map(hexOfText);
    expect([object(`a1${texts}a3${a}f6${b}6178${c}f6`)]).toEqual([{ texts: { a: '', b: 'x', c: 'x' } }]);
  });

  it('reports the faults of raw values last', () => {
    const [raw, flag, time] = ['raw', 'flag', 'time'].map(hexOfText);
    expect([object(`a2${raw}f0${flag}01`), object(`a1${raw}f0`), object(`a1${time}3bffffffffffffffff`)]).toEqual([
      'cbor: cannot unmarshal positive integer into Go struct field v1.Odd.flag of type bool',
      'failed to transcode RawExtension to JSON: failed to parse RawExtension bytes as CBOR: ' +
        'cbor: data item of cbor type primitives is not accepted by protocol: simple value 16 is not recognized',
      'cbor: cannot unmarshal negative integer into Go struct field v1.Odd.time of type string ' +
        "(-18446744073709551616 overflows Go's int64)",
    ]);
  });

  it('bounds the faults of all raw values together', () => {
    const [raws, flag] = ['raws', 'flag'].map(hexOfText);
    const read = (raw: string, count: number) => String(object(`a2${raws}9f${raw.repeat(count)}ff${flag}01`));
    const lists = (count: number) => read(`9f${'f0'.repeat(100)}ff`, count);
    expect([read('f0', 900), read('f0', 1_100), lists(9), lists(11)].map((message) => message.slice(0, 30))).toEqual([
      'cbor: cannot unmarshal positiv',
      'failed to transcode RawExtensi',
      'cbor: cannot unmarshal positiv',
      'failed to transcode RawExtensi',
    ]);
  });

  it('pauses between many short raw values', () => {
    const bytes = bytesOf(`a1${hexOfText('raws')}9f${`9f${'00'.repeat(900)}ff`.repeat(100)}ff`);
    expect([...decodeCborSteps(codec, bytes, 'Ignore')].length).toBeGreaterThan(20);
  });

  it('reports a repeated key before an earlier wrong type, and of wrong types the first', () => {
    const [count, flag] = ['count', 'flag'].map(hexOfText);
    expect([
      object(`a3${count}6161${flag}f5${flag}f4`),
      object(`a2${count}f5${flag}01`),
      object(`a3f6f5f6f5${flag}f5`),
    ]).toEqual([
      'cbor: found duplicate map key "flag" at map element index 2',
      'cbor: cannot unmarshal primitives into Go struct field v1.Odd.count of type int32',
      'cbor: found duplicate map key <nil> at map element index 1',
    ]);
  });
});

/** Values that a decoder can produce: no lone surrogates, and no floats that are whole. */
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json[]>(null, true, false, 0, -1, 23, 24, 255, 256, 65_536, 2 ** 32, 1.5, 1e300, 0.1),
    fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom('a', '__proto__', '10', '9'), fc.string()), tie('value')))
      .map((entries) => {
        const object: { [key: string]: Json } = {};
        for (const [key, value] of entries) setOwn(object, key, value);
        return object;
      }),
  ),
})).value;

describe('encodeCborValue', () => {
  it.each<[Json, string]>([
    [1.5, 'f93e00'],
    [100_000.5, 'fa47c35040'],
    [1.1, 'fb3ff199999999999a'],
    [2 ** 53, 'fa5a000000'],
    [2n ** 53n, '1b0020000000000000'],
    [2n ** 63n - 1n, '1b7fffffffffffffff'],
    [2n ** 63n, 'fa5f000000'],
    [2n ** 64n, 'fa5f800000'],
    [-(2n ** 63n) - 1n, 'fadf000000'],
    [-25, '3818'],
    [{ bb: 1, a: [null, true], '': 'é' }, 'a34042c3a9416182f6f542626201'],
  ])('writes %o as %s', (value, hex) => expect(hexOf(encodeCborValue(value))).toBe(hex));

  it('round-trips, and writes the same bytes for every order of keys', () =>
    fc.assert(
      fc.property(json, (value) => {
        const bytes = encodeCborValue(value);
        const back = decodeCborValue(bytes);
        expect(stringifyJson(back)).toBe(stringifyJson(value));
        expect(hexOf(encodeCborValue(back))).toBe(hexOf(bytes));
      }),
    ));
});
