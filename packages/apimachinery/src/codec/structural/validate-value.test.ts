import { beforeAll, describe, expect, it } from 'vitest';
import { fieldErrorMessage } from '../../field/field-error.js';
import { FieldPath } from '../../field/path.js';
import { type CompilePattern, loadPatternEngine } from '../../patterns/pattern-engine.js';
import type { ValueValidation } from '../../schema/value-validation.js';
import { valueValidator } from './validate-value.js';

let compilePattern: CompilePattern;
beforeAll(async () => {
  compilePattern = await loadPatternEngine();
});

const at = (v: ValueValidation): ValueValidation => ({ types: ['object'], properties: new Map([['v', v]]) });
const intOrString: ValueValidation = { types: ['integer', 'string'] };

function messages(rules: ValueValidation, value: unknown): readonly string[] {
  return valueValidator(rules, compilePattern).validate(value, FieldPath.none).map(fieldErrorMessage);
}

describe('many errors', () => {
  const MANY = 150_000; // More than a call takes as arguments.
  let tested = 0;
  const mismatch = () => {
    tested++;
    return false;
  };
  const never: CompilePattern = () => Object.assign(mismatch, { cost: 0 });
  const strings: ValueValidation = { types: ['array'], items: { types: ['string'], pattern: 'x' } };
  const members: ValueValidation = { types: ['object'], additionalProperties: { types: ['string'], pattern: 'x' } };
  const list = Array.from({ length: MANY }, () => '1');

  it.each<readonly [string, ValueValidation, unknown, number]>([
    ['in a list', strings, list, 1],
    ['in a map', members, Object.fromEntries(list.entries()), 1],
    ['in allOf', { allOf: [strings, strings] }, list, 2],
    ['in anyOf', { anyOf: [strings, strings] }, list, 2],
  ])('%s', (_, rules, v, times) => {
    tested = 0;
    const errors = valueValidator(at(rules), never).validate({ v }, FieldPath.none);
    expect([errors.length, errors.at(-1)?.detail.replace(/\d+/, 'N')]).toEqual([1001, 'and at least N more errors']);
    expect(tested).toBeLessThanOrEqual(times * 10_001);
  });

  it('in two parts of a value, the second of which has more', () => {
    const missing = (count: number): ValueValidation => ({
      required: Array.from({ length: count }, (_, index) => `m${index}`),
    });
    const [some, more] = [missing(MANY), missing(MANY + 1)];
    const twice: ValueValidation[] = [
      { properties: new Map(Object.entries({ a: some, b: more })) },
      { anyOf: [some], oneOf: [more] },
    ];
    for (const rules of twice) {
      expect(messages(rules, { a: {}, b: {} }).at(-1)).toMatch(/and at least \d+ more errors$/);
    }
  });
});

describe('one value', () => {
  it.each<readonly [string, ValueValidation, string]>([
    ['MultipleOf', { multipleOf: 0.7 }, 'a multiple of 0.7'],
    ['Minimum boundary', { minimum: 2_000_000.5 }, 'greater than or equal to 2.0000005e+06'],
    ['Maximum boundary', { maximum: 0.5 }, 'less than or equal to 0.5'],
  ])('an integer is a double beside a %s that is a fraction', (what, rule, text) => {
    expect(messages(at({ types: ['integer'], ...rule }), { v: 1_000_001 })).toEqual([
      `<nil>: Invalid value: "": ${what} value must be of type integer (default format) in v`,
      `v: Invalid value: 1.000001e+06: v in body should be ${text}`,
    ]);
  });

  it.each<readonly [string, ValueValidation, unknown, readonly string[]]>([
    ['type', { types: ['boolean'] }, 'x', ['v: Invalid value: "string": v in body must be of type boolean: "string"']],
    [
      'a type whose format is that of numbers',
      { types: ['string'], format: 'int64' },
      1,
      ['v: Invalid value: "integer": v in body must be of type string: "integer"'],
    ],
    [
      'a format alone, which no number has',
      { format: 'date' },
      1,
      ['v: Invalid value: "int64": v in body must be of type date: "int64"'],
    ],
    ['a format alone, which a text has', { format: 'date' }, '2020-01-01', []],
    [
      'a format that does not limit integers',
      { types: ['integer'], format: 'float' },
      1e300,
      [
        'v: Invalid value: "float64": v in body must be of type float: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in v',
      ],
    ],
    ['null', { types: ['string'] }, null, ['v: Invalid value: "null": v in body must be of type string: "null"']],
    ['nullable', { types: ['string'], nullable: true }, null, []],
    ['an integer is a number', { types: ['number'] }, 1, []],
    ['a whole double is an integer', { types: ['integer'] }, 5, []],
    [
      'a fraction is none',
      { types: ['integer'] },
      1.5,
      [
        'v: Invalid value: "number": v in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in v',
      ],
    ],
    [
      'int32',
      { types: ['integer'], format: 'int32' },
      3_000_000_000,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v'],
    ],
    [
      'int-or-string',
      intOrString,
      true,
      ['v: Invalid value: "boolean": v in body must be of type integer,string: "boolean"'],
    ],
    [
      'int-or-string, a fraction',
      intOrString,
      1.5,
      ['v: Invalid value: "number": v in body must be of type integer,string: "number"'],
    ],
    ['minimum', { minimum: 1 }, 0, ['v: Invalid value: 0: v in body should be greater than or equal to 1']],
    [
      'exclusive',
      { minimum: 0, exclusiveMinimum: true },
      0,
      ['v: Invalid value: 0: v in body should be greater than 0'],
    ],
    [
      'large doubles',
      { maximum: 10_000_000 },
      12345678.5,
      ['v: Invalid value: 1.23456785e+07: v in body should be less than or equal to 1e+07'],
    ],
    [
      'a maximum beyond 64 bits, of an integer',
      { types: ['number'], maximum: 1e21 },
      1,
      ['v: Invalid value: 1: v in body should be less than or equal to -9223372036854775808'],
    ],
    ['a maximum beyond 64 bits, of a fraction', { types: ['number'], maximum: 1e21 }, 1.5, []],
    ['maximum', { maximum: 10 }, 11, ['v: Invalid value: 11: v in body should be less than or equal to 10']],
    ['multipleOf', { multipleOf: 5 }, 7, ['v: Invalid value: 7: v in body should be a multiple of 5']],
    ['multipleOf a fraction', { multipleOf: 0.1 }, 0.3, []],
    ['an integer knows no fractions of a bound', { types: ['number'], minimum: 2.5, maximum: 3.5 }, 2, []],
    [
      'a fraction does',
      { minimum: 2.5 },
      2.25,
      ['v: Invalid value: 2.25: v in body should be greater than or equal to 2.5'],
    ],
    [
      'multipleOf nothing, of an integer',
      { types: ['number'], multipleOf: 0.5 },
      3,
      ['v: Invalid value: 0: factor MultipleOf declared for v must be positive: 0'],
    ],
    [
      'a factor beyond the integers',
      { types: ['number'], multipleOf: 1e22 },
      1,
      [
        'v: Invalid value: -9223372036854775808: factor MultipleOf declared for v must be positive: -9223372036854775808',
      ],
    ],
    [
      'a large factor below zero',
      { types: ['integer'], multipleOf: -1e20 },
      1,
      [
        '<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in v',
        'v: Invalid value: -1e+20: factor MultipleOf declared for v must be positive: -1e+20',
      ],
    ],
    [
      'no double that large is an integer',
      { types: ['integer'], format: 'int32' },
      1e21,
      [
        'v: Invalid value: "float64": v in body must be of type int32: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v',
      ],
    ],
    [
      'too few properties, and what is missing',
      { minProperties: 1, required: ['a'] },
      {},
      ['v: Invalid value: 0: v in body should have at least 1 properties', 'v.a: Required value'],
    ],
    [
      'a fault found twice',
      { minLength: 2, allOf: [{ minLength: 2 }] },
      'x',
      [
        'v: Invalid value: "x": v in body should be at least 2 chars long',
        '<nil>: Invalid value: "": "v" must validate all the schemas (allOf). None validated',
      ],
    ],
    ['minLength', { minLength: 2 }, 'ä', ['v: Invalid value: "ä": v in body should be at least 2 chars long']],
    ['maxLength counts characters', { maxLength: 4 }, 'ääää', []],
    ['maxLength', { maxLength: 4 }, 'abcde', ['v: Too long: may not be more than 4 bytes']],
    ['pattern', { pattern: '^[a-z]+$' }, 'A1', ['v: Invalid value: "A1": v in body should match \'^[a-z]+$\'']],
    ['pattern anywhere', { pattern: 'b' }, 'abc', []],
    [
      'enum of a map',
      { enum: ['one'] },
      { k1: 1, 'k.4': { b: 1, a: 2 } },
      ['v: Unsupported value: {"k.4":{"a":2,"b":1},"k1":1}: supported values: "one"'],
    ],
    ['enum', { enum: ['one', 2] }, 'three', ['v: Unsupported value: "three": supported values: "one", "2"']],
    [
      'format',
      { types: ['string'], format: 'date' },
      'x',
      ['v: Invalid value: "x": v in body must be of type date: "x"'],
    ],
    ['unknown format', { types: ['string'], format: 'whatever' }, 'x', []],
    ['minItems', { minItems: 1 }, [], ['v: Invalid value: 0: v in body should have at least 1 items']],
    ['maxItems', { maxItems: 1 }, [1, 2], ['v: Too many: 2: must have at most 1 item']],
    [
      'items',
      { items: { types: ['string'] } },
      ['a', 1],
      ['v[1]: Invalid value: "integer": v[1] in body must be of type string: "integer"'],
    ],
    ['maxProperties', { maxProperties: 1 }, { a: 1, b: 2 }, ['v: Too many: 2: must have at most 1 item']],
    ['required', { required: ['a'] }, {}, ['v.a: Required value']],
    [
      'additionalProperties',
      { additionalProperties: { types: ['string'] } },
      { k: 1 },
      ['v.k: Invalid value: "integer": v.k in body must be of type string: "integer"'],
    ],
    [
      'unprintable',
      { types: ['string'], format: 'ipv4' },
      '\u0001\u2028é',
      ['v: Invalid value: "\\x01\\u2028é": v in body must be of type ipv4: "\\x01\\u2028é"'],
    ],
    [
      'none allowed',
      { additionalProperties: false },
      { k: 1 },
      ['v: Invalid value: "k": v.k in body is a forbidden property'],
    ],
    ['not', { not: { types: ['string'] } }, 'x', ['<nil>: Invalid value: "": "v" must not validate the schema (not)']],
    [
      'anyOf',
      { anyOf: [{ minimum: 5 }, { minimum: 3 }] },
      1,
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        'v: Invalid value: 1: v in body should be greater than or equal to 5',
      ],
    ],
    // Every check that was made counts, also one that found a fault.
    [
      'anyOf, with the errors of the most checks',
      { anyOf: [{ required: ['a'] }, { format: 'password' }] },
      {},
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        'v: Invalid value: "": v in body must be of type password: ""',
      ],
    ],
    [
      'anyOf, the first of as many checks',
      { anyOf: [{ enum: ['y'] }, { enum: ['x'], minLength: 2 }] },
      'x',
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        'v: Unsupported value: "x": supported values: "y"',
      ],
    ],
    [
      'anyOf, most checks',
      { anyOf: [{ enum: ['y'] }, { format: 'ipv4', types: ['string'] }] },
      'x',
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        'v: Invalid value: "x": v in body must be of type ipv4: "x"',
      ],
    ],
    [
      'oneOf, two fit',
      { oneOf: [{ minimum: 0 }, { minimum: 1 }] },
      2,
      ['<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'allOf',
      { allOf: [{ types: ['integer'] }, { maximum: 100 }] },
      101,
      [
        'v: Invalid value: 101: v in body should be less than or equal to 100',
        '<nil>: Invalid value: "": "v" must validate all the schemas (allOf)',
      ],
    ],
  ])('%s', (_what, rules, value, expected) => {
    expect(messages(at(rules), { v: value })).toEqual(expected);
  });
});

it('continues with other fields, in order of their names', () => {
  const rules: ValueValidation = {
    properties: new Map([
      ['b', { types: ['string'] }],
      ['a', { types: ['string'] }],
    ]),
    required: ['c'],
  };
  expect(messages(rules, { a: 1, b: 2 })).toEqual([
    'a: Invalid value: "integer": a in body must be of type string: "integer"',
    'b: Invalid value: "integer": b in body must be of type string: "integer"',
    'c: Required value',
  ]);
});

const KEYED: readonly (readonly [string, ValueValidation])[] = [
  ['k', {}],
  ['v', { maximum: 5 }],
];

describe('updates', () => {
  const rules: ValueValidation = {
    properties: new Map<string, ValueValidation>([
      ['a', { maximum: 5 }],
      ['list', { items: { properties: new Map([['v', { maximum: 5 }]]) } }],
      ['keyed', { listMapKeys: ['k'], maxItems: 2, items: { properties: new Map(KEYED) } }],
      ['open', { maxProperties: 1, properties: new Map([['known', {}]]) }],
      ['all', { properties: new Map([['in', {}]]), allOf: [{ properties: new Map([['in', { maximum: 5 }]]) }] }],
      [
        'one',
        {
          properties: new Map<string, ValueValidation>([
            ['kind', {}],
            ['other', {}],
          ]),
          oneOf: ['A', 'B'].map((kind) => ({ properties: new Map([['kind', { enum: [kind] }]]) })),
        },
      ],
    ]),
  };
  const changed = (old: unknown, value: unknown) =>
    valueValidator(rules, compilePattern)
      .validateUpdate(value, old, FieldPath.none)
      .map(({ field }) => field);

  it.each([
    ['what was wrong may stay', { a: 9 }, { a: 9, x: 1 }, []],
    ['what changes must be right', { a: 9 }, { a: 8 }, ['a']],
    ['what is new must be right', {}, { a: 9 }, ['a']],
    ['a list is looked at whole', { list: [{ v: 9 }] }, { list: [{ v: 9 }, { v: 1 }] }, ['list[0].v']],
    ['a keyed list too long', { keyed: [{ k: 1 }, { k: 2 }, { k: 3 }] }, { keyed: [{ k: 3 }, { k: 1 }, { k: 2 }] }, []],
    [
      'and changed',
      { keyed: [{ k: 1 }, { k: 2 }, { k: 3 }] },
      { keyed: [{ k: 3, v: 1 }, { k: 1 }, { k: 2 }] },
      ['keyed'],
    ],
    ['members nobody knows are never the same', { open: { x: 1, y: 1 } }, { open: { x: 1, y: 1 } }, ['open']],
    ['below allOf, nothing may stay', { all: { in: 9 } }, { all: { in: 9, more: 1 } }, ['all.in', '<nil>']],
    ['alternatives do not become valid', { one: { kind: 'A' } }, { one: { kind: 'A', other: 1 } }, []],
    ['but by its keys', { keyed: [{ k: 1, v: 9 }] }, { keyed: [{ k: 2 }, { k: 1, v: 9 }] }, []],
  ])('%s', (_what, old, value, wrong) => {
    expect(changed(old, value)).toEqual(wrong);
  });
});

it.each([
  [1.9, [1, 5], []],
  [2.1, [1, 5], ['v: Unsupported value: 2.1: supported values: "1", "5"']],
  [120, ['x'], []],
  [1, ['x', 1.5], ['v: Unsupported value: 1: supported values: "x", "1.5"']],
  ['1', [1], ['v: Unsupported value: "1": supported values: "1"']],
])('an enum converts %j as Go does for %j', (value, values, expected) => {
  expect(messages({ properties: new Map([['v', { enum: values }]]) }, { v: value })).toEqual(expected);
});

it('rejects every text if the pattern is invalid', () => {
  expect(messages({ properties: new Map([['field', { pattern: '+' }]]) }, { field: 'foo' })).toEqual([
    'field: Invalid value: "foo": field in body should match \'+, but pattern is invalid: error parsing regexp: missing argument to repetition operator: `+`\'',
  ]);
});

it('compiles nothing before the first value', () => {
  const compiled: string[] = [];
  const rules: ValueValidation = {
    properties: new Map([
      ['seen', { items: { pattern: 'a' } }],
      ['unseen', { items: { pattern: 'b' } }],
    ]),
  };
  const validator = valueValidator(rules, (pattern) => {
    compiled.push(pattern);
    return compilePattern(pattern);
  });
  expect(compiled).toEqual([]);
  for (const seen of [[], ['a'], ['aa']]) expect(validator.validate({ seen }, FieldPath.none)).toEqual([]);
  expect(compiled).toEqual(['a']);
});

describe('work that grows faster than a value', () => {
  const tooLong = ['<nil>: Invalid value: "": checking the value against its schema would take too long'];
  const many = (rules: ValueValidation): ValueValidation => ({
    types: ['object'],
    properties: new Map([['v', { types: ['array'], items: rules }]]),
  });
  const entries = Array.from({ length: 3_000 }, (_, i) => ({ a: i }));

  it.each<readonly [string, ValueValidation, unknown, readonly string[]]>([
    ['alternatives', { anyOf: Array.from({ length: 500 }, (_, i) => ({ maxLength: i % 2 })) }, 'xx', tooLong],
    ['an enum of objects', { enum: entries }, entries.at(-1), tooLong],
    ['an enum of texts', { enum: entries.map((_, i) => `e${i}`) }, 'e2999', []],
  ])('is refused, or done at once: %s', (_, rules, item, expected) => {
    const v = Array.from({ length: 50_000 }, () => item);
    expect(messages(many(rules), { v })).toEqual(expected);
    expect(messages(many(rules), { v: [item] }).includes(tooLong[0] ?? '')).toBe(false);
  });
});
