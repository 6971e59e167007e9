import { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { ConfigMap, Pod } from '@apiserver/api/core/v1';
import type { Json } from '@apiserver/apimachinery';
import { atOnce } from '@apiserver/apimachinery/clock';
import { compileKind, type KindCodec } from '@apiserver/apimachinery/codec';
import { checkJson } from '@apiserver/apimachinery/codec/json';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const codecs: Readonly<Record<string, KindCodec<object>>> = {
  ConfigMap: compileKind(ConfigMap) as KindCodec<object>,
  Pod: compileKind(Pod) as KindCodec<object>,
  CustomResourceDefinition: compileKind(CustomResourceDefinition) as KindCodec<object>,
};

/** Includes the order of the members. */
function written(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member));
}

function outcome(decode: () => unknown): unknown {
  try {
    return decode();
  } catch (error) {
    if (isDecodeError(error)) return [error.reason, error.message];
    throw error;
  }
}

function bothWays(kind: string, text: string): readonly [unknown, unknown] {
  const codec = codecs[kind] as KindCodec<object>;
  const bytes = Buffer.from(text);
  return [
    outcome(() => atOnce(codec.decodeSteps(checkJson(bytes), 'Strict'))),
    outcome(() => codec.decodeJson(bytes, 'Strict')),
  ];
}

describe('decodeSteps', () => {
  it.each<[string, string]>([
    ['ConfigMap', '{}'],
    ['ConfigMap', 'null'],
    ['ConfigMap', '[]'],
    ['ConfigMap', '{"data":{"b":"1","a":"2"},"metadata":{"labels":null,"name":"x"},"immutable":false}'],
    ['ConfigMap', '{"data":{"b":"1"},"data":{"a":"2"},"x":1,"data":null,"metadata":{"y":{"z":1}}}'],
    ['ConfigMap', '{"data":{"__proto__":"1","a":1,"b":null},"binaryData":{"a":"aGk=","b":"%"}}'],
    ['ConfigMap', '{"binaryData":{"a":"a\\nGk=\\n"},"metadata":{"creationTimestamp":"2026-01-01T00:00:00.5Z"}}'],
    ['ConfigMap', '{"metadata":{"creationTimestamp":"x"}}'],
    ['ConfigMap', '{"metadata":{"managedFields":[{"fieldsV1":{"a":1e999}}]}}'],
    ['ConfigMap', '{"metadata":{"managedFields":[{"fieldsV1":{"b":1,"a":{"c":1.50,"c":2}}}],"finalizers":[null,"a"]}}'],
    ['Pod', '{"spec":{"containers":[{"name":"a"},null,{}],"nodeSelector":{"b":"","a":null}}}'],
    [
      'Pod',
      '{"spec":{"containers":[{"name":"a","ports":[{"hostPort":1}]}],"containers":[{"image":"b","ports":[{}]}]}}',
    ],
    [
      'Pod',
      '{"spec":{"containers":[{"resources":{"limits":{"cpu":0.5,"memory":"1Gi","x":"1e3"}}}],"hostNetwork":"x"}}',
    ],
    [
      'Pod',
      '{"spec":{"securityContext":{"supplementalGroups":[]},"containers":[{"resources":{"claims":[]},"args":[]}]}}',
    ],
    ['Pod', '{"spec":{"volumes":[{"name":"a","emptyDir":{"sizeLimit":"x"}}]}}'],
    [
      'Pod',
      '{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":"a"}}},{"livenessProbe":{"httpGet":{"port":8}}}]}}',
    ],
    ['Pod', '{"spec":{"terminationGracePeriodSeconds":9007199254740993,"containers":"x","activeDeadlineSeconds":1.0}}'],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[{"type":"x","no":1}],"additionalProperties":false,' +
        '"dependencies":{"a":["b"],"b":{"type":"y"},"c":[]},"default":{"b":1e2,"a":9007199254740993},"enum":["a",null,1]}}}]}}',
    ],
    [
      'CustomResourceDefinition',
      '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"items":{"items":{"type":1}}}}}}}]}}',
    ],
    ['CustomResourceDefinition', '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"additionalProperties":[]}}}]}}'],
  ])('decodes a %s in steps as at once: %s', (kind, text) => {
    const [steps, whole] = bothWays(kind, text);
    expect(steps).toEqual(whole);
    expect(written(steps)).toBe(written(whole));
  });

  it('decodes any members in steps as at once', () => {
    const name = fc.constantFrom(
      'metadata',
      'data',
      'binaryData',
      'immutable',
      'name',
      'labels',
      'a',
      'b',
      'finalizers',
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.constantFrom('1', '1.5', '"x"', '""', 'null', 'true'), tie('object')),
      object: fc
        .array(fc.tuple(name, tie('value')), { maxLength: 6 })
        .map((members) => `{${members.map(([key, text]) => `"${key}":${text}`).join(',')}}`),
    }));
    fc.assert(
      fc.property(value, (text) => {
        const [steps, whole] = bothWays('ConfigMap', String(text));
        expect(JSON.stringify(steps)).toBe(JSON.stringify(whole));
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 2_000 },
    );
  });

  const many = (piece: (i: number) => string) => Array.from({ length: 50_000 }, (_, i) => piece(i)).join(',');
  it.each<[string, string, string]>([
    ['unknown fields', 'ConfigMap', `{${many((i) => `"k${i}":1`)}}`],
    ['fields that occur twice', 'ConfigMap', `{${many(() => '"data":{}')}}`],
    ['keys', 'ConfigMap', `{"data":{${many((i) => `"k${50_000 - i}":"v"`)}}}`],
    ['values of wrong types', 'Pod', `{"spec":{"containers":[${many(() => '1')}]}}`],
    ['empty structs', 'Pod', `{"spec":{"containers":[${many(() => '{}')}]}}`],
    ['raw values', 'ConfigMap', `{"metadata":{"managedFields":[{"fieldsV1":{${many((i) => `"f:${i}":{}`)}}}]}}`],
    [
      'defaults of schemas',
      'CustomResourceDefinition',
      `{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"default":[${many(() => '{}')}]}}}]}}`,
    ],
  ])('pauses at least every 5,000 %s', (_, kind, text) => {
    const steps = (codecs[kind] as KindCodec<object>).decodeSteps(checkJson(Buffer.from(text)), 'Warn');
    let pauses = 0;
    outcome(() => {
      while (!steps.next().done) pauses++;
    });
    expect(pauses).toBeGreaterThanOrEqual(10);
  });
});

it('empty objects of managed fields are one frozen object, and others are not', () => {
  const fieldsV1 = { 'f:data': { '.': {}, 'f:a': {}, 'f:b': { 'f:c': [{}] } } };
  const text = JSON.stringify({ metadata: { managedFields: [{ fieldsV1 }] }, data: {} });
  const { object } = atOnce(compileKind(ConfigMap).decodeSteps(checkJson(Buffer.from(text)), 'Strict'));
  const decoded = object.metadata.managedFields?.[0]?.fieldsV1 as typeof fieldsV1;
  const { '.': self, 'f:a': a, 'f:b': b } = decoded['f:data'];
  expect(decoded).toEqual(fieldsV1);
  expect([a === self, b['f:c'][0] === self, Object.isFrozen(self), Object.isFrozen(decoded)]).toEqual([
    ...[true, true, true, false],
  ]);
});

describe('values in steps', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${count - i}`, '']));

  it.each<[string, string, unknown]>([
    ['an object', 'ConfigMap', { data: { b: '1', a: null }, metadata: { labels: null, name: 'x' } }],
    ['unknown fields', 'ConfigMap', { data: many(10), x: 1, metadata: { y: 1 } }],
    ['wrong types', 'ConfigMap', { data: { a: 1 } }],
    ['a wrong type among many', 'ConfigMap', { data: { ...many(10_000), k3: {} } }],
    ['nulls among many', 'ConfigMap', { data: { ...many(10_000), k3: null } }],
    ['many of many', 'ConfigMap', { data: many(10_000), metadata: { labels: many(10_000), annotations: {} } }],
    ['no object', 'ConfigMap', []],
    ['many unknown fields', 'Pod', { spec: { containers: [{ name: 'a', x: many(10_000) }] } }],
  ])('are reported as at once: %s', (_, kind, value) => {
    const codec = codecs[kind] as KindCodec<object>;
    const fresh = () => JSON.parse(JSON.stringify(value));
    expect(written(outcome(() => atOnce(codec.fromJsonSteps(fresh(), 'Strict'))))).toBe(
      written(outcome(() => codec.fromJson(fresh(), 'Strict'))),
    );
    const unstructured = written(outcome(() => codec.fromUnstructured(fresh(), 'Strict')));
    for (const isOwned of [false, true]) {
      const steps = () => atOnce(codec.fromUnstructuredSteps(fresh(), 'Strict', isOwned));
      expect(written(outcome(steps))).toBe(unstructured);
    }
  });

  it('copy large maps of a value that is not owned, and those that it has in two places', () => {
    const codec = codecs['ConfigMap'] as KindCodec<{ readonly data?: object; readonly metadata: { labels?: object } }>;
    const data = many(10_000);
    const mapsOf = (value: Json, isOwned: boolean) => {
      const { object } = atOnce(codec.fromUnstructuredSteps(value, 'Strict', isOwned));
      return [object.data, object.metadata.labels].filter((map) => map === data).length;
    };
    expect(mapsOf({ data }, false)).toBe(0);
    expect(mapsOf({ data }, true)).toBe(1);
    expect(mapsOf({ data, metadata: { labels: data } }, true)).toBe(1);
  });

  it('pause when there are many', () => {
    const codec = codecs['ConfigMap'] as KindCodec<object>;
    const value = { data: many(50_000) };
    const pauses = (steps: Generator<void>) => Array.from(steps).length;
    expect(pauses(codec.fromUnstructuredSteps(value, 'Warn', false) as Generator<void>)).toBeGreaterThanOrEqual(20);
    expect(pauses(codec.encodeJsonSteps(value) as Generator<void, never>)).toBeGreaterThanOrEqual(10);
  });
});

describe('encodeJsonSteps', () => {
  const many = (count: number, value: unknown = '') =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${count - i}`, value]));
  const schema = (properties: unknown) => ({
    spec: { versions: [{ schema: { openAPIV3Schema: { properties, items: { properties } } } }] },
  });

  it.each<[string, string, unknown]>([
    ['many keys', 'ConfigMap', { data: many(10_000, '<"\u2028é') }],
    [
      'many numeric keys',
      'ConfigMap',
      { data: Object.fromEntries(Object.keys([...Array(10_000)]).map((key) => [key, ''])) },
    ],
    ['many raw values', 'ConfigMap', { metadata: { managedFields: [{ fieldsV1: many(10_000, {}) }] } }],
    [
      'large integers among raw values',
      'ConfigMap',
      { metadata: { managedFields: [{ fieldsV1: many(10_000, 2n ** 60n) }] } },
    ],
    ['many items', 'ConfigMap', { metadata: { finalizers: Object.keys(many(10_000)) } }],
    ['nested schemas', 'CustomResourceDefinition', schema(many(5_000, { type: 'object', enum: [1, { b: 1, a: 2 }] }))],
    ['little', 'ConfigMap', { data: { a: 'b' } }],
  ])('encodes %s as encodeJson does', (_, kind, object) => {
    const codec = codecs[kind] as KindCodec<object>;
    const steps = Buffer.from(atOnce(codec.encodeJsonSteps(object as object))).toString();
    expect(steps).toBe(Buffer.from(codec.encodeJson(object as object)).toString());
  });
});
