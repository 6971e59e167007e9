import { expect, test } from 'vitest';
import { MadeObject } from '../values/made-object.js';
import { EvaluationError } from '../values/value.js';
import { foreignValues, misplacedTypes, patchJson } from './patch-json.js';
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

test('values that upstream refuses in objects are found by their paths', () => {
  const found = foreignValues(
    made('Object{a: null, b: [1, 2], c: [Object.c{d: 3u}], e: {"f": b"xy"}, g: optional.none()}'),
  );
  expect(found.map(({ path, text, syntax, goType }) => [path.join('.'), text, syntax, goType])).toEqual([
    ['a', 'NULL_VALUE', '0', 'structpb.NullValue'],
    ['c.0.d', '3', '0x3', 'uint64'],
    ['e.f', '[120 121]', '[]uint8{0x78, 0x79}', '[]uint8'],
  ]);
});

test('types must have the names of their places', () => {
  expect(misplacedTypes(made('Object{spec: Object.spec{a: [Object.spec.a{}]}}'))).toEqual([]);
  expect(misplacedTypes(made('Object{spec: Object.spec{a: [Object.spec.b{}]}}'))).toEqual([
    'unexpected type name "Object.spec.b", expected "Object.spec.a", which matches field name path from root Object type',
  ]);
});
