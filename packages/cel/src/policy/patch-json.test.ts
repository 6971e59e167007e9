import { expect, test } from 'vitest';
import { MadeObject } from '../values/made-object.js';
import { EvaluationError } from '../values/value.js';
import { misplacedTypes, patchJson } from './patch-json.js';
import { PolicyCompiler, SharedEnvironment } from './policy-compiler.js';

const compiler = new PolicyCompiler(new SharedEnvironment(), { params: false, variables: false });

function made(text: string): MadeObject {
  const compiled = compiler.compile(text, 'applyConfiguration');
  if ('error' in compiled) throw new TypeError(compiled.error);
  const { result } = compiled.program.evaluate([], 1_000_000);
  if (!(result instanceof MadeObject)) throw new TypeError('no object');
  return result;
}

function json(text: string): unknown {
  const converted = patchJson(made(text));
  return converted instanceof EvaluationError ? converted.message : converted.json;
}

test('an object becomes JSON', () => {
  expect([
    json('Object{spec: Object.spec{a: 1, b: [2.5], c: {"d": "e"}, ?f: optional.none(), g: optional.none()}}'),
  ]).toEqual([{ spec: { a: 1, b: [2.5], c: { d: 'e' }, g: null } }]);
});

test('types must have the names of their places', () => {
  expect(misplacedTypes(made('Object{spec: Object.spec{a: [Object.spec.a{}]}}'))).toEqual([]);
  expect(misplacedTypes(made('Object{spec: Object.spec{a: [Object.spec.b{}]}}'))).toEqual([
    'unexpected type name "Object.spec.b", expected "Object.spec.a", which matches field name path from root Object type',
  ]);
});

test('types are read in the elements of lists, maps and optionals, but not in sums of lists', () => {
  const fault =
    'unexpected type name "Object.b", expected "Object.a", which matches field name path from root Object type';
  const faulty = ['[Object.b{}]', '{"x": Object.b{}}', 'optional.of([Object.b{}])', 'optional.of({"x": Object.b{}})'];
  for (const value of faulty) expect(misplacedTypes(made(`Object{a: ${value}}`)), value).toEqual([fault]);
  for (const value of ['[Object.b{}] + [Object.b{}]', 'optional.of(Object.b{})']) {
    expect(misplacedTypes(made(`Object{a: ${value}}`)), value).toEqual([]);
  }
});
