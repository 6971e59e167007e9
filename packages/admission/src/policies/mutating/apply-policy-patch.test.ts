import { ObjectMeta } from '@apiserver/api/meta/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { messageOf } from '@apiserver/apimachinery/errors';
import { ANY, STRING, type StructSchema, struct } from '@apiserver/apimachinery/schema';
import { EvaluationError, PolicyCompiler, SharedEnvironment, type Value } from '@apiserver/cel';
import { expect, test } from 'vitest';
import { testAttributes } from '../../testing/attributes.js';
import { applyPolicyPatch } from './apply-policy-patch.js';

const compiler = new PolicyCompiler(new SharedEnvironment(), { params: false, variables: false });

function evaluated(text: string): Value {
  const compiled = compiler.compile(text, 'jsonPatch');
  if ('error' in compiled) throw new TypeError(compiled.error);
  const { result } = compiled.program.evaluate([], 1_000_000);
  if (result instanceof EvaluationError) throw result;
  return result;
}

const gvk = { group: 'example.com', version: 'v1', kind: 'Widget' };
const { fields } = struct('', '', () => [
  ['apiVersion', 0, STRING],
  ['kind', 0, STRING],
  ['metadata', 0, ObjectMeta],
  ['spec', 0, ANY],
]);
const schema: StructSchema = { type: 'struct', name: '', goName: '', fields, protobuf: false, embeddedResource: true };
const codec = compileKind({ gvk, schema, semantics: 'structural' });

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}{}${'}'.repeat(levels)}`);
const widget = (spec: object): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a' },
  spec: JSON.parse(JSON.stringify(spec)),
});

/** The spec of a widget after the patch that the expression evaluates to, or the error. */
async function specAfter(text: string, spec: object): Promise<unknown> {
  const attributes = testAttributes({ kind: gvk });
  const version = { ...attributes.scope, codec };
  const request = { attributes, version, object: widget(spec), oldObject: undefined };
  const turn = { nextTurn: () => Promise.resolve() };
  return await applyPolicyPatch(request, evaluated(text), turn).then(({ object }) => object['spec'], messageOf);
}

/** A list that holds another one twice, and so on, in the value of a patch. */
const doubled = `${'[[["a"]]].map(x, '}${'[[x, x]].map(x, '.repeat(39)}x${')[0]'.repeat(40)}`;

const copies = (...depths: readonly number[]) =>
  depths.map((depth) => `JSONPatch{op: "copy", from: "/spec/x", path: "/spec/x${'/a'.repeat(depth)}"}`).join();

test.each<[string, string, unknown]>([
  ['adds a value', '[JSONPatch{op: "add", path: "/spec/y", value: 1}]', { x: nested(600), y: 1 }],
  ['changes nothing after a failed test', '[JSONPatch{op: "test", path: "/spec/y", value: 1}]', { x: nested(600) }],
  ['may not nest the object too deep', `[${copies(600)}]`, 'Internal error occurred: exceeded max depth'],
  [
    'may not nest it deeper than the stack',
    `[${copies(600, 1_200, 2_400, 4_800, 9_600)}]`,
    'Internal error occurred: exceeded max depth',
  ],
  [
    'may not make a value of any size',
    `[JSONPatch{op: "add", path: "/spec/y", value: ${doubled}}]`,
    'the value of the expression is too large for an object',
  ],
])('a patch of a policy %s', async (_, text, expected) => {
  expect(await specAfter(text, { x: nested(600) })).toEqual(expected);
});
