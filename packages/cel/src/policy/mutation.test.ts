import { expect, test } from 'vitest';
import { EvaluationError } from '../values/value.js';
import { PolicyCompiler, SharedEnvironment } from './policy-compiler.js';

const compiler = new PolicyCompiler(new SharedEnvironment(), { params: false, variables: false });

function faultOf(text: string): string | undefined {
  const compiled = compiler.compile(text, 'jsonPatch');
  if ('error' in compiled) return compiled.error;
  const { result } = compiled.program.evaluate([], 1_000_000);
  return result instanceof EvaluationError ? result.message : undefined;
}

test.each([
  [
    '[JSONPatch{other: "x"}]',
    "compilation failed: ERROR: <input>:1:17: expected type of field 'other' is '' but provided type is 'string'\n | [JSONPatch{other: \"x\"}]\n | ................^",
  ],
  ['[JSONPatch{other: dyn("x")}]', 'unexpected JSONPatchType field: other'],
  ['[JSONPatch{op: dyn(1)}]', "unexpected type int64 for JSONPatchType 'op' field"],
  ['[JSONPatch{path: dyn(null)}]', "unexpected type structpb.NullValue for JSONPatchType 'path' field"],
  ['[JSONPatch{path: dyn([1])}]', "unexpected type []ref.Val for JSONPatchType 'path' field"],
  ['[JSONPatch{from: dyn(optional.none())}]', "unexpected type <nil> for JSONPatchType 'from' field"],
  ['[JSONPatch{op: dyn(optional.of("x")), path: dyn(type(1)), value: optional.none()}]', undefined],
  ['[JSONPatch{op: string(dyn(JSONPatch{}).other)}]', 'unsupported indexer: other'],
  ['[JSONPatch{op: has(JSONPatch{}.other) ? "a" : "b"}]', 'unsupported field: other'],
  ['[JSONPatch{op: has(JSONPatch{path: ""}.path) ? dyn(1) : "b"}]', undefined],
  ['[JSONPatch{?op: dyn({"a": [1]})}]', "cannot initialize optional entry 'op' from non-optional value {a: [1]}"],
])('%s, as in upstream', (text, fault) => {
  expect(faultOf(text)).toBe(fault);
});
