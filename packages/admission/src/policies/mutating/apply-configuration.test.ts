import { Deployment } from '@apiserver/api/apps/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import { compileKind } from '@apiserver/apimachinery/codec';
import { messageOf } from '@apiserver/apimachinery/errors';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { AdmissionAttributes } from '@apiserver/apiserver-contracts';
import { EvaluationError, PolicyCompiler, SharedEnvironment, type Value } from '@apiserver/cel';
import { expect, test } from 'vitest';
import { testAttributes } from '../../testing/attributes.js';
import { applyConfiguration } from './apply-configuration.js';

const compiler = new PolicyCompiler(new SharedEnvironment(), { params: false, variables: false });

function evaluated(text: string): Value {
  // An expression of another type would not compile as a configuration.
  const compiled = compiler.compile(text, text.startsWith('Object') ? 'applyConfiguration' : 'variable');
  if ('error' in compiled) throw new TypeError(compiled.error);
  const { result } = compiled.program.evaluate([], 1_000_000);
  if (result instanceof EvaluationError) throw result;
  return result;
}

const deployment = (): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { a: '1' } },
  spec: { replicas: 1, selector: {}, template: { metadata: {}, spec: { containers: [] } } },
});

/** Applies an expression to Deployment "web". */
function apply(
  text: string,
  operation: AdmissionAttributes['operation'] = 'CREATE',
  object = deployment(),
): KubeObject {
  const attributes = testAttributes({ operation, kind: { group: 'apps', version: 'v1', kind: 'Deployment' } });
  const version = { ...attributes.scope, codec: compileKind(Deployment) };
  return applyConfiguration({ attributes, version, object, oldObject: undefined }, evaluated(text));
}

function refusalOf(...call: Parameters<typeof apply>): string {
  try {
    apply(...call);
    return 'none';
  } catch (error) {
    return messageOf(error);
  }
}

test('a configuration is merged, and keeps the kind', () => {
  const object = apply('Object{metadata: Object.metadata{labels: {"b": "2"}}, spec: Object.spec{replicas: 3}}');
  expect(object).toMatchObject({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { a: '1', b: '2' } },
    spec: { replicas: 3 },
  });
});

test('a result shares nothing with the object before', () => {
  const before = deployment();
  freezeJson(before);
  const object = apply('Object{spec: Object.spec{replicas: 3}}', 'UPDATE', before);
  object.metadata.labels = Object.assign(object.metadata.labels ?? {}, { b: '2' });
  expect([object['spec'], before['spec']]).toMatchObject([{ replicas: 3, template: {} }, { replicas: 1 }]);
  expect(Object.isFrozen((object['spec'] as { template: object }).template)).toBe(false);
});

test('an optional without a value is null, and a type is its name', () => {
  const labels = '{"a": dyn(optional.none()), "b": dyn(type(1))}';
  expect(apply(`Object{metadata: Object.metadata{labels: ${labels}}}`).metadata.labels).toEqual({ a: '', b: 'int' });
});

const CONVERT = 'error applying patch: failed to convert patch object to typed object: ';
const of = (fields: string) => `Object{spec: Object.spec{${fields}}}`;

test.each<[string, string]>([
  [of('replicas: 3u'), '.spec.replicas: expected numeric (int or float), got uint64'],
  [of('replicas: [[]]'), '.spec.replicas: expected numeric (int or float), got []interface {}'],
  [of('paused: 17u'), '.spec.paused: expected boolean, got &{17}'],
  [of('selector: 3u'), '.spec.selector: expected map, got &{3}'],
  [of('nothing: 3u'), '.spec.nothing: field not declared in schema'],
  ['Object{nothing: Object.nothing{a: 3u, b: b"x"}}', '.nothing: field not declared in schema'],
  [of('paused: duration("1h") + duration("1ms")'), '.spec.paused: expected boolean, got &{1h0m0.001s}'],
  [of('replicas: quantity("1")'), '.spec.replicas: expected numeric (int or float), got *resource.Quantity'],
  [of('replicas: type(1)'), '.spec.replicas: expected numeric (int or float), got string'],
  [
    'Object{metadata: Object.metadata{name: 31u}}',
    '.metadata.name: expected string, got &value.valueUnstructured{Value:0x1f}',
  ],
  [
    'Object{metadata: Object.metadata{labels: {"a": b"x"}}}',
    '.metadata.labels.a: expected string, got &value.valueUnstructured{Value:[]uint8{0x78}}',
  ],
  [
    'Object{metadata: Object.metadata{name: []}}',
    '.metadata.name: expected string, got &value.valueUnstructured{Value:[]interface {}(nil)}',
  ],
  [of('paused: [1].filter(x, false)'), '.spec.paused: expected boolean, got &{[]}'],
  ['Object{metadata: Object.metadata{finalizers: 3u}}', '.metadata.finalizers: expected list, got &{3}'],
  [
    'Object{metadata: Object.metadata{finalizers: [3u]}}',
    '.metadata.finalizers[={{undefined}}]: expected string, got &value.valueUnstructured{Value:0x3}',
  ],
  [
    'Object{spec: {"template": {"metadata": {"labels": {"x": "y"}}}}}',
    '.spec.template: expected map, got &{map[metadata:{labels: {x: y}}]}',
  ],
  [
    of('template: Object.spec.template{spec: {"containers": [{"name": "x"}]}}'),
    '.spec.template.spec.containers: expected list, got &{[{name: x}]}',
  ],
  [
    'Object{metadata: Object.metadata{ownerReferences: [[1], [2]]}}',
    '.metadata.ownerReferences: element 0: associative list with keys may not have non-map elements',
  ],
  [of('replicas: "a".split("")'), '.spec.replicas: expected numeric (int or float), got []string'],
  [of('replicas: JSONPatch{op: "add"}'), '.spec.replicas: expected numeric (int or float), got *mutation.JSONPatchVal'],
  [
    'Object{metadata: Object.metadata{labels: {1: "b"}}}',
    String.raw`.metadata: expected map, got &{fail to convert field "labels": map key '\x01' is of type types.Int, not string}`,
  ],
  [
    'Object{metadata: Object.metadata{creationTimestamp: 3u}}',
    '.metadata.creationTimestamp: expected any scalar, got &{3}',
  ],
  [
    of('replicas: 3u, paused: 4u'),
    'errors:\n  .spec.replicas: expected numeric (int or float), got uint64\n  .spec.paused: expected boolean, got &{4}',
  ],
  [
    of('replicas: "x", paused: 4u'),
    'errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.paused: expected boolean, got &{4}',
  ],
  ['Object{nothing: 3u, other: b"x", more: 1}', '.nothing: field not declared in schema'],
  [of('paused: [3u, 4u]'), '.spec.paused: expected boolean, got &{[3 4]}'],
  [
    of(
      'template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 3u}]}}',
    ),
    '.spec.template.spec.containers[name={{undefined}}].name: expected string, got &value.valueUnstructured{Value:0x3}',
  ],
  [of('replicas: "x"'), '.spec.replicas: expected numeric (int or float), got string'],
])('%s does not fit the types of the kind', (text, message) => {
  expect(refusalOf(text)).toBe(`${CONVERT}${message}`);
});

test('a configuration may not be of any size', () => {
  const doubled = `${'[[["a"]]].map(x, '}${'[[x, x]].map(x, '.repeat(39)}x${')[0]'.repeat(40)}`;
  expect(refusalOf(of(`selector: dyn(${doubled})`))).toBe('the value of the expression is too large for an object');
});

test.each<[string, string]>([
  ['1', 'unsupported return type from ApplyConfiguration expression'],
  [
    'Object{spec: Object.metadata{}}',
    'type mismatch: unexpected type name "Object.metadata", expected "Object.spec", which matches field name path from root Object type',
  ],
  ['Object{metadata: {1: "x"}}', 'invalid return type: *dynamic.ObjectVal'],
])('%s is refused', (text, message) => {
  expect(refusalOf(text)).toBe(message);
});

test('the options of a connection have no type', () => {
  expect(refusalOf('Object{}', 'CONNECT')).toBe(`${CONVERT}no corresponding type for apps/v1, Kind=Deployment`);
});

test('a result that is no object of the kind is refused', () => {
  expect(() => apply('Object{metadata: Object.metadata{creationTimestamp: "soon"}}')).toThrow(
    /^unable to convert unstructured object to apps\/v1, Kind=Deployment: /,
  );
});
