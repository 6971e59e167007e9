import { describe, expect, it } from 'vitest';
import { elementsOf } from '../values/lists.js';
import { MadeObject } from '../values/made-object.js';
import { EvaluationError, ListValue } from '../values/value.js';
import { patchJson } from './patch-json.js';
import { PolicyCompiler, SharedEnvironment } from './policy-compiler.js';

const compiler = new PolicyCompiler(new SharedEnvironment(), { params: false, variables: false });

/** The JSON of a patch's value, or the error. */
function json(text: string): unknown {
  const compiled = compiler.compile(`[JSONPatch{op: "add", path: "/a", value: ${text}}]`, 'jsonPatch');
  if ('error' in compiled) throw new TypeError(compiled.error);
  const { result } = compiled.program.evaluate([], 1_000_000);
  const [patch] = result instanceof ListValue ? [...elementsOf(result)] : [];
  if (!(patch instanceof MadeObject)) throw new TypeError(String(result));
  const converted = patchJson(patch.find('value') ?? null);
  return converted instanceof EvaluationError ? converted.message : converted.json;
}

const REF_LIST = 'proto: invalid type: []ref.Val';
const REF_MAP = 'proto: invalid type: map[ref.Val]ref.Val';
const TEXTS = 'proto: invalid type: []string';
const NO_NUMBER =
  'json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: invalid';
const keyFault = (key: string, type: string) =>
  `fail to convert field "a": map key ${key} is of type types.${type}, not string`;

// The answers of upstream's modules.
describe('the value of a JSON patch', () => {
  it.each<[string, unknown]>([
    ['Object{a: 9007199254740993, b: 18446744073709551615u}', { a: 9007199254740992, b: 18446744073709552000 }],
    [
      'Object{a: [dyn(1), dyn(2.5), dyn(b"xy"), dyn(type(1)), dyn(optional.of("x")), dyn(optional.none())]}',
      { a: [1, 2.5, 'eHk=', 'int', 'x', null] },
    ],
    [
      'Object{a: optional.none(), b: optional.of([1]), c: {"d": Object.c{e: 1}}}',
      { a: null, b: [1], c: { d: { e: 1 } } },
    ],
    ['Object{a: [[1] + [2]], b: [] + [], c: {}}', { a: [[1, 2]], b: [], c: {} }],
    ['Object{a: {dyn(type(1)): "x", dyn(optional.of("k")): "y"}}', { a: { int: 'x', k: 'y' } }],
    ['Object{a: "ab".split("").distinct(), b: "ab".split("").map(x, x)}', { a: ['a', 'b'], b: ['a', 'b'] }],
    ['Object{a: [[1]]}', REF_LIST],
    ['Object{a: [dyn(1)] + [[2]]}', REF_LIST],
    ['Object{a: {"x": [1]}}', REF_LIST],
    ['Object{a: [optional.of([1])]}', REF_LIST],
    ['Object{a: [{"x": 1}]}', REF_MAP],
    ['Object{a: {"x": {"y": 1}}}', REF_MAP],
    ['[Object{a: [{}]}]', REF_MAP],
    ['Object{a: "x".split("")}', TEXTS],
    ['Object{a: "x".findAll("")}', TEXTS],
    ['Object{a: [format.uuid().validate("x")]}', TEXTS],
    ['Object{a: url("http://x?a=b").getQuery()}', TEXTS],
    ['Object{a: null}', 'proto: invalid type: structpb.NullValue'],
    ['Object{a: timestamp(1)}', 'proto: invalid type: time.Time'],
    ['Object{a: [Object.a{b: duration("1s")}]}', 'proto: invalid type: time.Duration'],
    ['Object{a: quantity("1")}', 'proto: invalid type: *resource.Quantity'],
    ['Object{a: ip("1.1.1.1")}', 'proto: invalid type: netip.Addr'],
    ['Object{a: format.uuid()}', 'proto: invalid type: cel.Format'],
    ['Object{a: JSONPatch{op: "add"}}', 'proto: invalid type: *mutation.JSONPatchVal'],
    ['Object{a: double("NaN")}', `${NO_NUMBER} NaN value`],
    ['Object{a: {1: "x"}}', keyFault(String.raw`'\x01'`, 'Int')],
    ['Object{a: optional.of({39u: "x"})}', keyFault(String.raw`'\''`, 'Uint')],
    ['Object{a: {34: "x"}}', keyFault(`'"'`, 'Int')],
    ['Object{a: {-1: "x"}}', keyFault("'\ufffd'", 'Int')],
    ['Object{a: {null: "x"}}', keyFault(String.raw`'\x00'`, 'Null')],
    ['Object{a: {true: "x"}}', keyFault('%!q(types.Bool=true)', 'Bool')],
    ['Object{a: {1.5: "x"}}', keyFault('%!q(types.Double=1.5)', 'Double')],
    ['Object{a: Object.a{b: {1: "x"}}}', 'proto: invalid type: *types.Err'],
  ])('%s', (text, expected) => {
    expect(json(text)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['{"a": dyn(timestamp(1)), "b": dyn([[null]])}', { a: '1970-01-01T00:00:01Z', b: [[null]] }],
    ['[9007199254740993]', ['9007199254740993']],
    ['{dyn(quantity("1")): 1, dyn(ip("1.1.1.1")): 2, dyn(optional.of("k")): 3}', { '1': 1, '1.1.1.1': 2, k: 3 }],
    ['[double("-Infinity")]', `${NO_NUMBER} -Inf value`],
    ['[type(1)]', "type conversion not supported for 'type'"],
    ['[quantity("1")]', "type conversion error from 'Quantity' to '*structpb.Value'"],
    ['[format.uuid()]', "type conversion error from 'Format' to '*structpb.Value'"],
    ['JSONPatch{op: "add"}', 'cannot convert to native type: *structpb.Value'],
    ['{1: 2}', "unsupported type conversion from 'int' to string"],
    ['{true: 2}', "type conversion error from bool to 'string'"],
    ['{[1]: 2}', "type conversion error from list to 'string'"],
    ['{{1: 2}: 2}', "type conversion error from map to 'string'"],
    ['{1.5: 2}', "type conversion error from Double to 'string'"],
    ['{null: 2}', "type conversion error from 'null_type' to 'string'"],
    ['{timestamp(1): 2}', "type conversion error from 'Timestamp' to 'string'"],
    ['{duration("1s"): 2}', "type conversion error from 'Duration' to 'string'"],
    ['{optional.of(1): 2}', "unsupported type conversion from 'int' to string"],
    ['{type(1): 2}', "type conversion not supported for 'type'"],
    ['{Object.a{b: 1}: 2}', 'unable to convert to string'],
    ['{JSONPatch{op: "add"}: 2}', 'cannot convert to native type: string'],
  ])('%s, a literal', (text, expected) => {
    expect(json(text)).toEqual(expected);
  });
});
