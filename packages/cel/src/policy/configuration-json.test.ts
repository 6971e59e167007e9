import { ForeignValue } from '@apiserver/apimachinery/json';
import { expect, test } from 'vitest';
import { madeObject } from '../testing/made-object.js';
import { EvaluationError } from '../values/value.js';
import { configurationJson } from './configuration-json.js';

function configuration(text: string): unknown {
  const converted = configurationJson(madeObject(text));
  return converted instanceof EvaluationError ? converted.message : converted.json;
}

test('values that upstream refuses in objects are foreign', () => {
  expect(
    configuration('Object{a: null, b: [1, 2], c: [Object.c{d: 3u}], e: {"f": b"xy"}, g: optional.none()}'),
  ).toEqual({
    a: new ForeignValue('NULL_VALUE', '0', 'structpb.NullValue'),
    b: [1, 2],
    c: [{ d: new ForeignValue('3', '0x3', 'uint64') }],
    e: { f: new ForeignValue('[120 121]', '[]uint8{0x78, 0x79}', '[]uint8') },
    g: null,
  });
});

test('values are printed as Go prints them', () => {
  const printed: [string, string, string][] = [
    [
      '[[dyn("x\\""), dyn(1), dyn(1.5), dyn(true), dyn(3u)]]',
      '[x" 1 1.5 true 3]',
      '[]ref.Val{"x\\"", 1, 1.5, true, 0x3}',
    ],
    [
      '[[dyn(null), dyn(b"x"), dyn(duration("1h"))]]',
      '[0 [120] 1h0m0s]',
      '[]ref.Val{0, types.Bytes{0x78}, types.Duration{Duration:3600000000000}}',
    ],
    ['[{"k": 2u}]', 'map[k:2]', 'map[ref.Val]ref.Val{"k":0x2}'],
    ['[{"k": [1, 2]}]', 'map[k:[1, 2]]', 'map[ref.Val]ref.Val{"k":(*types.baseList)(0xc000000000)}'],
    [
      '[[dyn({"k": 1}), dyn([1] + [2]), dyn(int)]]',
      '[{k: 1} [1, 2] int]',
      '[]ref.Val{(*types.baseMap)(0xc000000000), (*types.concatList)(0xc000000000), (*types.Type)(0xc000000000)}',
    ],
    ['"é b".split(" ")', '[é b]', '[]string{"é", "b"}'],
    ['duration("1h")', '1h0m0s', '3600000000000'],
    [
      'timestamp("2024-01-02T03:04:05.06Z")',
      '2024-01-02 03:04:05.06 +0000 UTC',
      'time.Date(2024, time.January, 2, 3, 4, 5, 60000000, time.UTC)',
    ],
    [
      'timestamp("2024-01-02T03:04:05+02:00")',
      '2024-01-02 03:04:05 +0200 +0200',
      'time.Date(2024, time.January, 2, 3, 4, 5, 0, time.Location(""))',
    ],
  ];
  for (const [expression, text, syntax] of printed) {
    const value = (configuration(`Object{a: ${expression}}`) as { a: unknown }).a;
    const [first] = Array.isArray(value) ? value : [value];
    expect([first.text, first.syntax], expression).toEqual([text, syntax]);
  }
});
