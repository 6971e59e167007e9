import { describe, expect, it } from 'vitest';
import { atOnce } from '../clock/at-once.js';
import { DecodeError } from '../errors/decode-error.js';
import { ANY, INT_OR_STRING, INT64, list, map, STRING, struct, TIME } from '../schema/builders.js';
import type { KindSchema } from '../schema/kind-schema.js';
import type { FieldSchema, Schema, StructSchema } from '../schema/schema.js';
import type { Json } from '../types/json.js';
import type { KubeObject } from '../types/object-meta.js';
import { compileKind } from './compile-kind.js';
import { parseJsonExact } from './json/json-cursor.js';

const metadata = struct('meta.ObjectMeta', 'v1.ObjectMeta', () => [
  ['name', 1, STRING, 1],
  ['labels', 11, map(STRING), 1],
]);

function fields(members: Readonly<Record<string, Schema>>): readonly FieldSchema[] {
  return Object.entries(members).map(([name, schema]) => ({
    name,
    schema,
    inline: false,
    pointer: false,
    omitEmpty: false,
    omitZero: false,
    optional: true,
    proto: 0,
  }));
}

function object(members: Readonly<Record<string, Schema>>, extras: Partial<StructSchema> = {}): StructSchema {
  return { type: 'struct', name: '', goName: 'object', fields: fields(members), protobuf: false, ...extras };
}

const kind: KindSchema = {
  gvk: { group: 'example.com', version: 'v1', kind: 'Widget' },
  semantics: 'structural',
  schema: {
    ...object({
      apiVersion: STRING,
      kind: STRING,
      metadata,
      spec: object({
        a: { ...STRING, default: 'dflt' },
        n: { ...STRING, nullable: true },
        i: INT64,
        p: INT_OR_STRING,
        items: list(object({ x: STRING, port: { ...INT64, default: 80 } })),
        map: map(object({ d: STRING })),
        open: object({}, { openFields: true }),
        free: object({ typed: object({ e: STRING }) }, { preserveUnknownFields: true }),
        any: ANY,
        pod: object({ spec: ANY }, { embeddedResource: true }),
        pods: map(object({}, { embeddedResource: true })),
      }),
    }),
    name: 'com.example.v1.Widget',
  },
};

const codec = compileKind(kind);

it.each([
  ['creationTimestamp', 'garbage'],
  ['creationTimestamp', 5],
  ['deletionTimestamp', ''],
  ['generation', 1.5],
])('an applied object has no unreadable %s: %j', (name, value) => {
  const times = struct('meta.ObjectMeta', 'v1.ObjectMeta', () => [
    ['name', 1, STRING, 1],
    ['generation', 7, INT64, 1],
    ['creationTimestamp', 8, TIME, 1],
    ['deletionTimestamp', 9, TIME, 1],
  ]);
  const { fields: declared, ...root } = kind.schema;
  const timed = compileKind({
    ...kind,
    schema: { ...root, fields: [...fields({ metadata: times }), ...declared.slice(3)] },
  });
  const applied = { metadata: { name: 'a', generation: 3, [name]: value } };
  const withoutTimes = { name: 'a', creationTimestamp: null, deletionTimestamp: null };
  const kept = name === 'generation' ? withoutTimes : { ...withoutTimes, generation: 3 };
  expect([
    timed.fromUnstructured(applied, 'Ignore').object.metadata,
    atOnce(timed.fromUnstructuredSteps(applied, 'Ignore', false)).object.metadata,
  ]).toEqual([kept, kept]);
});
const decode = (text: string, mode: 'Ignore' | 'Warn' | 'Strict' = 'Strict') =>
  codec.decodeJson(Buffer.from(text, 'utf8'), mode);
const widget = (spec: unknown, more: object = {}) => JSON.stringify({ metadata: { name: 'w' }, ...more, spec });
const beyondInt64 =
  '{"metadata":{},"spec":{"i":9223372036854775808,"p":9223372036854775807,' +
  '"any":[-9223372036854775809,{"__proto__":18446744073709551616}]}}';
const specOf = (object: KubeObject) => object['spec'];

describe('the output of the encoder', () => {
  const read = (bytes: Uint8Array) => {
    const steps = codec.decodeEncodedSteps?.(bytes);
    return [codec.decodeEncoded?.(bytes), steps && atOnce(steps)];
  };

  it.each([
    ['an object', widget({ a: '1', items: [{ x: '1', port: 2 }], free: { q: 1 }, pod: { metadata: { name: 'p' } } })],
    ['numbers beyond 64 bits', beyondInt64],
    ['names with escapes', widget({ a: '1', map: { 'a"\\b': { d: '1' } } })],
  ])('is read as a client wrote it: %s', (_what, text) => {
    const { object } = decode(text, 'Ignore');
    codec.applyDefaults(object);
    expect(read(codec.encodeJson(object))).toEqual([object, object]);
  });

  it('is parsed alone: nothing is pruned or defaulted', () => {
    const text = '{"metadata":{"name":"w","nope":1},"spec":{"zzz":1}}';
    expect(read(Buffer.from(text))).toEqual([JSON.parse(text), JSON.parse(text)]);
  });

  it('nests no deeper than other values', () => {
    const deep = Buffer.from(`{"spec":${'['.repeat(9_999)}${']'.repeat(9_999)}}`);
    expect(() => read(deep)).toThrow(DecodeError);
    const steps = codec.decodeEncodedSteps?.(deep);
    expect(() => steps && atOnce(steps)).toThrow(DecodeError);
  });
});

describe('decode', () => {
  it.each([
    ['keeps what is declared, whatever its type', { a: 1, i: 'x', p: true }, { a: 1, i: 'x', p: true }, []],
    ['drops what is not', { zzz: 1, a: 'x' }, { a: 'x' }, ['spec.zzz']],
    ['drops inside lists', { items: [{ x: '1', y: 2 }, {}] }, { items: [{ x: '1' }, {}] }, ['spec.items[0].y']],
    ['drops inside maps', { map: { k: { d: '1', e: 2 } } }, { map: { k: { d: '1' } } }, ['spec.map.k.e']],
    [
      'keeps what is preserved, but not below what is declared',
      { free: { q: { r: 1 }, typed: { e: '1', f: 2 } } },
      { free: { q: { r: 1 }, typed: { e: '1' } } },
      ['spec.free.typed.f'],
    ],
    [
      'keeps members of open objects, emptied',
      { open: { k: { v: 1 }, s: 2 } },
      { open: { k: {}, s: 2 } },
      ['spec.open.k.v'],
    ],
    ['keeps anything', { any: [null, { x: 1 }] }, { any: [null, { x: 1 }] }, []],
    ['drops nulls that mean nothing', { i: null, n: null, map: { k: null } }, { n: null, map: {} }, []],
    ['keeps a null that a default will replace', { a: null }, { a: null }, []],
    ['empties objects where scalars are declared', { i: { x: 1 } }, { i: {} }, ['spec.i.x']],
  ])('%s', (_what, spec, kept, unknown) => {
    const { object, strictErrors } = decode(widget(spec));
    expect({ spec: specOf(object), strictErrors }).toEqual({
      spec: kept,
      strictErrors: unknown.map((path) => `unknown field "${path}"`),
    });
  });

  it('names duplicates first, then metadata, then the rest, sorted', () => {
    const text = '{"metadata":{"name":"w","nope":1},"z":1,"spec":{"a":"1","a":"2","b":1},"extra":1}';
    expect(decode(text)).toEqual({
      object: { metadata: { name: 'w' }, spec: { a: '2' } },
      strictErrors: [
        'duplicate field "spec.a"',
        'unknown field "metadata.nope"',
        'unknown field "extra"',
        'unknown field "spec.b"',
        'unknown field "z"',
      ],
    });
    expect(decode(text, 'Ignore').strictErrors).toEqual([]);
  });

  it('names unknown fields as they are, and quotes duplicates', () => {
    const name = '"\\\t\u2028é';
    const key = JSON.stringify(name);
    const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{${key}:1}}`;
    const text = `{"metadata":{${key}:1},"spec":{${key}:1,${key}:2,"pod":${pod}}}`;
    expect(decode(text).strictErrors).toEqual([
      'duplicate field "spec.\\"\\\\\\t\\u2028é"',
      `unknown field "metadata.${name}"`,
      `unknown field "spec.${name}"`,
      `unknown field "spec.pod.metadata.${name}"`,
    ]);
  });

  it('keeps big integers and __proto__', () => {
    const { object } = decode('{"metadata":{},"spec":{"i":9007199254740993,"any":{"__proto__":1}}}');
    const bytes = Buffer.from(codec.encodeJson(object)).toString();
    expect(bytes).toBe('{"metadata":{},"spec":{"any":{"__proto__":1},"i":9007199254740993}}');
    expect(Buffer.from(atOnce(codec.encodeJsonSteps(object))).toString()).toBe(bytes);
  });

  it.each<readonly [string, () => KubeObject]>([
    ['JSON', () => decode(beyondInt64).object],
    ['YAML', () => codec.decodeYaml(Buffer.from(`# no JSON\n${beyondInt64}`), 'Strict').object],
    ['one-line YAML', () => codec.decodeYaml(Buffer.from(beyondInt64), 'Strict').object],
    ['a patch', () => codec.fromJson(parseJsonExact(Buffer.from(beyondInt64)), 'Strict').object],
    ['this process', () => codec.normalize(parseJsonExact(Buffer.from(beyondInt64)) as unknown as KubeObject)],
  ])('makes doubles of integers that 64 bits do not hold: %s', (_from, read) => {
    expect(Buffer.from(codec.encodeJson(read())).toString()).toBe(
      '{"metadata":{},"spec":{"any":[-9223372036854776000,{"__proto__":18446744073709552000}],' +
        '"i":9223372036854776000,"p":9223372036854775807}}',
    );
  });

  it("rejects integers beyond a double's range", () => {
    const message = /^json: cannot unmarshal number 10{400} into Go value of type float64$/;
    expect(() => codec.fromJson({ metadata: {}, spec: { i: 10n ** 400n } }, 'Ignore')).toThrow(message);
    expect(() => parseJsonExact(Buffer.from(`{"i":1${'0'.repeat(400)}}`))).toThrow(message);
  });

  it('types metadata, also of embedded resources', () => {
    expect(() => decode('{"metadata":{"labels":{"a":1}}}')).toThrow(
      'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', nope: 1 }, spec: { x: 1 }, other: 1 };
    const { object, strictErrors } = decode(widget({ pod }));
    expect(specOf(object)).toEqual({ pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { x: 1 } } });
    expect(strictErrors).toEqual(['unknown field "spec.pod.other"', 'unknown field "spec.pod.metadata.nope"']);
  });

  it.each([
    ['metadata that is none', { metadata: 'x' }, 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [
      'embedded metadata that is none',
      { spec: { pod: { metadata: [1] } } },
      'spec.pod.metadata: Invalid value: [1]: json: cannot unmarshal array into Go value of type v1.ObjectMeta',
    ],
    [
      'a wrong type in embedded metadata',
      { spec: { pods: { p: { metadata: { name: 1, labels: {} } } } } },
      'spec.pods[p].metadata: Invalid value: {"labels":{},"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
    [
      'an embedded kind that is no text',
      { spec: { pod: { kind: 1 } } },
      'spec.pod.kind: Invalid value: 1: must be a string',
    ],
  ])('refuses %s', (_what, sent, message) => {
    expect(() => decode(JSON.stringify({ metadata: {}, ...sent }))).toThrow(new DecodeError('type', message));
  });
});

it.each([
  ['absent', {}, { a: 'dflt' }],
  ['null', { a: null }, { a: 'dflt' }],
  ['there', { a: 'x' }, { a: 'x' }],
  ['in lists', { a: '', items: [{}, { port: 81 }] }, { a: '', items: [{ port: 80 }, { port: 81 }] }],
])('defaults: %s', (_what, spec, defaulted) => {
  const { object } = decode(widget(spec));
  codec.applyDefaults(object);
  expect(specOf(object)).toEqual(defaulted);
});

it('writes sorted JSON and YAML, and no protobuf', () => {
  const { object } = decode(
    '{"spec":{"n":"<","a":"1"},"kind":"Widget","metadata":{"name":"w"},"apiVersion":"example.com/v1"}',
  );
  expect(Buffer.from(codec.encodeJson(object)).toString()).toBe(
    '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"a":"1","n":"\\u003c"}}',
  );
  expect(Buffer.from(codec.encodeYaml(object)).toString()).toBe(
    'apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n  a: "1"\n  "n": <\n',
  );
  expect(() => codec.encodeProtobuf(object)).toThrow(
    'object *unstructured.Unstructured does not implement the protobuf marshalling interface',
  );
});

describe('a stored object', () => {
  const stored = (value: object) => {
    const bytes = Buffer.from(JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Widget', ...value }));
    const decoded = codec.decodeStored?.(bytes);
    expect(atOnce(codec.decodeStoredSteps?.(bytes) ?? never())).toEqual(decoded);
    return decoded?.object;
  };

  // Upstream: TestGetObjectMeta (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta),
  // crdConversionRESTOptionsGetter
  it.each<[what: string, value: object, metadata: object]>([
    ['nothing odd', { metadata: { name: 'a', labels: { b: 'c' } } }, { name: 'a', labels: { b: 'c' } }],
    ['labels that are no map', { metadata: { name: 'a', labels: 5 } }, { name: 'a' }],
    ['a label that is no text', { metadata: { name: 'a', labels: { b: 5 } } }, { name: 'a' }],
    ['a name that is none', { metadata: { name: [1], labels: { b: 'c' } } }, { labels: { b: 'c' } }],
    ['an unknown field', { metadata: { name: 'a', odd: {} } }, { name: 'a' }],
  ])('loses of its metadata what is malformed: %s', (_, value, metadata) => {
    expect(stored(value)?.metadata).toEqual(metadata);
  });

  it('is pruned, and its embedded resources are repaired', () => {
    const pod = { apiVersion: 1, kind: 'Pod', metadata: { name: 'p', labels: 5, odd: 1 }, spec: { any: 1 } };
    expect(stored({ metadata: { name: 'a' }, spec: { a: 'b', odd: 1, pod }, odd: 2 })).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'a' },
      spec: { a: 'b', pod: { kind: 'Pod', metadata: { name: 'p' }, spec: { any: 1 } } },
    });
  });

  it('is rejected if its metadata is not an object', () => {
    expect(() => stored({ metadata: 5 })).toThrow('invalid metadata: expected object');
  });
});

describe('values in steps', () => {
  it.each<[string, Record<string, unknown>]>([
    ['nulls', { spec: { a: null, n: null, items: [{ x: null }] } }],
    ['unknown fields', { metadata: { x: 1 }, spec: { b: 1, free: { c: 1 }, pod: { metadata: {}, d: 1 } } }],
    ['integers as floats', { spec: { i: 1.5, any: 2 ** 60 } }],
    [
      'resources inside',
      { spec: { pods: { b: { metadata: { odd: 1 } }, a: { metadata: { labels: { b: 'c', a: null } } } } } },
    ],
  ])('are what they are at once: %s', (_, rest) => {
    const value = () => structuredClone({ apiVersion: 'example.com/v1', kind: 'Widget', ...rest }) as never;
    expect(atOnce(codec.fromJsonSteps(value(), 'Strict'))).toEqual(codec.fromJson(value(), 'Strict'));
    const unstructured = value();
    const steps = atOnce(codec.fromUnstructuredSteps(unstructured, 'Strict', false));
    expect(steps).toEqual(codec.fromUnstructured(value(), 'Strict'));
    expect(unstructured).toEqual(value());
  });
});

it('keeps unknown fields of what is applied, or patched by a webhook, until it is stored', () => {
  const value = () => ({ ...{ apiVersion: 'example.com/v1', kind: 'Widget' }, spec: { b: 1 } }) as never;
  const specs = [
    codec.fromJson(value(), 'Ignore').object,
    codec.fromUnstructured(value(), 'Strict').object,
    atOnce(codec.fromPatchedSteps?.(value()) ?? never()),
  ].map((object) => Reflect.get(object as object, 'spec'));
  expect(specs).toEqual([{}, { b: 1 }, { b: 1 }]);
});

function never(): never {
  throw new TypeError('structural codecs read stored objects in steps');
}

it('refuses unknown fields that are too deep for a stored object, whatever a patch made them of', () => {
  const codec = compileKind(kind);
  const widget = (levels: number): Json => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {},
    spec: { any: Array.from({ length: levels - 2 }).reduce((inner: Json) => [inner], 1) },
  });
  const read: readonly ((value: Json) => unknown)[] = [
    (value) => codec.fromJson(value, 'Ignore'),
    (value) => codec.fromYaml({ value, duplicates: undefined }, 'Ignore'),
    (value) => atOnce(codec.fromJsonSteps(value, 'Ignore')),
    (value) => codec.fromUnstructured(value, 'Ignore'),
    (value) => atOnce(codec.fromUnstructuredSteps(value, 'Ignore', false)),
  ];
  for (const decode of read) {
    expect(() => decode(widget(1_000))).not.toThrow();
    expect(() => decode(widget(1_001))).toThrow('exceeded max depth');
  }
});
