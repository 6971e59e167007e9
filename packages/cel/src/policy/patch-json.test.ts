import { expect, test } from 'vitest';
import { madeObject } from '../testing/made-object.js';
import { EvaluationError } from '../values/value.js';
import { misplacedTypes, patchJson } from './patch-json.js';

function json(text: string): unknown {
  const converted = patchJson(madeObject(text));
  return converted instanceof EvaluationError ? converted.message : converted.json;
}

test('an object becomes JSON', () => {
  expect([
    json('Object{spec: Object.spec{a: 1, b: [2.5], c: {"d": "e"}, ?f: optional.none(), g: optional.none()}}'),
  ]).toEqual([{ spec: { a: 1, b: [2.5], c: { d: 'e' }, g: null } }]);
});

test('types must have the names of their places', () => {
  expect(misplacedTypes(madeObject('Object{spec: Object.spec{a: [Object.spec.a{}]}}'))).toEqual([]);
  expect(misplacedTypes(madeObject('Object{spec: Object.spec{a: [Object.spec.b{}]}}'))).toEqual([
    'unexpected type name "Object.spec.b", expected "Object.spec.a", which matches field name path from root Object type',
  ]);
});

test('types are read in the elements of lists, maps and optionals, but not in sums of lists', () => {
  const fault =
    'unexpected type name "Object.b", expected "Object.a", which matches field name path from root Object type';
  const faulty = ['[Object.b{}]', '{"x": Object.b{}}', 'optional.of([Object.b{}])', 'optional.of({"x": Object.b{}})'];
  for (const value of faulty) expect(misplacedTypes(madeObject(`Object{a: ${value}}`)), value).toEqual([fault]);
  for (const value of ['[Object.b{}] + [Object.b{}]', 'optional.of(Object.b{})']) {
    expect(misplacedTypes(madeObject(`Object{a: ${value}}`)), value).toEqual([]);
  }
});
