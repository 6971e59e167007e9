import { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { Deployment } from '@apiserver/api/apps/v1';
import { ConfigMap, Node, Pod, Service } from '@apiserver/api/core/v1';
import { atOnce } from '@apiserver/apimachinery/clock';
import { compileKind } from '@apiserver/apimachinery/codec';
import { cborItemOfJson, cborOfJson, encodeCbor, encodeCborItemSteps } from '@apiserver/apimachinery/codec/cbor';
import { parseJsonValue, stringifyJson } from '@apiserver/apimachinery/codec/json';
import { encodeYaml, parseYaml } from '@apiserver/apimachinery/codec/yaml';
import { isDecodeError } from '@apiserver/apimachinery/errors';
import { freezeJson } from '@apiserver/apimachinery/json';
import type { FieldSchema, KindSchema, Schema, StructSchema } from '@apiserver/apimachinery/schema';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { groupVersions } from './index.js';

/** Maximum depth of generated objects: it covers every interesting type and ends recursive ones. */
const DEPTH = 7;
const runs = { numRuns: fc.readConfigureGlobal()?.numRuns ?? 60 };

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '10',
    '9',
    'true',
    'null',
    '1e3',
    ' a',
    'a: b',
    '<&>\u2028',
    'x\ny\n',
    '-',
    '~',
    '0x1f',
    '2026-01-02',
  ),
);
/** Upstream writes the key of a merge without quotes, and cannot read it back. */
const MERGE = '<<';
const key = text.filter((one) => one !== MERGE);
const json: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 }).map((value) => withoutIndexKeys(exactNumbers(value)));
const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });

/** Integral numbers beyond 2^53 are decoded as a bigint of the same value. */
function exactNumbers<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'number' && Number.isInteger(inner) && !Number.isSafeInteger(inner) ? Math.sign(inner) / 2 : inner,
  );
}

/** Raw values keep the order of their keys, except array indexes, which would not round-trip. */
function withoutIndexKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIndexKeys);
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [`k${key}`, withoutIndexKeys(inner)]));
}

function time(value: number): string {
  return `${new Date(value * 1000)
    .toISOString()
    .replace(/^([+-]\d{6})/, '9999')
    .slice(0, 19)}Z`;
}

/** Any value of a schema, in canonical form except for single strings. */
function arbitrary(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'string':
      return text;
    case 'bool':
      return fc.boolean();
    case 'int32':
      return fc.integer();
    case 'int64':
      return fc.oneof(
        fc.integer(),
        fc
          .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
          .map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n)),
      );
    case 'float64':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));
    case 'bytes':
      return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'list':
      return fc.array(arbitrary(schema.element, depth - 1), { maxLength: 3 });
    case 'map':
      return fc
        .array(fc.tuple(key, arbitrary(schema.element, depth - 1)), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries));
    case 'struct':
      return structArbitrary(schema, depth);
    case 'quantity':
      return fc.integer({ min: 1, max: 999 }).map((n) => `${n}m`);
    case 'time':
      return seconds.map(time);
    case 'microTime':
      return fc
        .tuple(seconds, fc.integer({ min: 0, max: 999_999 }))
        .map(([s, micros]) => time(s).replace('Z', `.${String(micros).padStart(6, '0')}Z`));
    case 'intOrString':
      return fc.oneof(fc.integer(), text);
    case 'schemaOr':
      return depth <= 0 ? fc.constant(null) : structArbitrary(schema.props, depth - 1);
    default:
      return json;
  }
}

function structArbitrary(schema: StructSchema, depth: number): fc.Arbitrary<unknown> {
  const fields = fieldsOf(schema).filter((field) => depth > 0 || !field.optional);
  if (depth <= -2) return fc.constant({});
  const picked = fields.map((field): [string, fc.Arbitrary<unknown>] => [
    field.name,
    arbitrary(field.schema, depth - 1),
  ]);
  return fc.record(Object.fromEntries(picked), { requiredKeys: [] });
}

function fieldsOf(schema: StructSchema): readonly FieldSchema[] {
  return schema.fields.flatMap((field) =>
    field.inline && field.schema.type === 'struct' ? fieldsOf(field.schema) : [field],
  );
}

function withoutBigint(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

const kinds: readonly (readonly [string, KindSchema<unknown>])[] = [
  ['ConfigMap', ConfigMap],
  ['Pod', Pod],
  ['Node', Node],
  ['Service', Service],
  ['Deployment', Deployment],
  ['CustomResourceDefinition', CustomResourceDefinition],
];

describe.each(kinds)('%s', (_, kind) => {
  const codec = compileKind(kind);
  const objects = structArbitrary(kind.schema, DEPTH).map((object) =>
    Object.assign(object as object, { kind: kind.gvk.kind, apiVersion: 'v1' }),
  );

  it('reads back any written object in every form', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const canonical = codec.normalize(object);
        const bytes = codec.encodeJson(object);
        const decoded = codec.decodeJson(bytes, 'Strict');
        expect(decoded).toEqual({ object: canonical, strictErrors: [] });
        expect(codec.encodeJson(decoded.object)).toEqual(bytes);
        expect(atOnce(codec.encodeJsonSteps(object))).toEqual(bytes);
        expect(codec.fromJson(parseJsonValue(bytes), 'Strict')).toEqual(decoded);
        expect(codec.decodeYaml(codec.encodeYaml(object), 'Strict')).toEqual(decoded);
      }),
      runs,
    );
  });

  it('canonicalizes to the form that it would read back, and leaves the object unchanged', () => {
    fc.assert(
      fc.property(objects, (object) => {
        freezeJson(object);
        const reread = codec.reread(object);
        const decoded = codec.decodeJson(codec.encodeJson(object), 'Ignore').object;
        // JavaScript reorders keys that are array indexes, so such objects must be read again.
        if (reread === undefined) expect(JSON.stringify(object, withoutBigint)).toMatch(/"\d+":/);
        else expect(stringifyJson(reread)).toBe(stringifyJson(decoded));
      }),
      runs,
    );
  });

  it('loses in protobuf only the distinction of empty and absent lists and maps', () => {
    fc.assert(
      fc.property(
        objects.map((object) => codec.normalize(object)),
        (object) => {
          const once = codec.decodeProtobuf(codec.encodeProtobuf(object)).object;
          const again = codec.decodeProtobuf(codec.encodeProtobuf(once)).object;
          expect(again).toEqual(once);
          expect(Buffer.from(codec.encodeProtobuf(once)).toString('hex')).toBe(
            Buffer.from(codec.encodeProtobuf(object)).toString('hex'),
          );
        },
      ),
      runs,
    );
  });

  it('decodes any bytes to an object or a DecodeError', () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.string().map((value) => Buffer.from(value)),
      fc.json().map((value) => Buffer.from(value)),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        for (const decode of [
          () => codec.decodeJson(body, 'Strict'),
          () => codec.decodeYaml(body, 'Strict'),
          () => codec.decodeProtobufMessage(body),
        ]) {
          try {
            decode();
          } catch (error) {
            expect(isDecodeError(error)).toBe(true);
          }
        }
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 300 },
    );
  });
});

describe('conversion of JSON without decoding', () => {
  const all: KindSchema<unknown>[] = [];

  beforeAll(async () => {
    for (const entry of groupVersions) {
      all.push(...(await entry.load()).kinds().filter(({ schema }) => schema.protobuf));
    }
  });

  /** The bytes in each form: from the text, and from the decoded object. Undefined where there are none. */
  function forms(kind: KindSchema<unknown>, json: Uint8Array) {
    const codec = compileKind(kind);
    let object: unknown;
    try {
      object = codec.decodeJson(json, 'Ignore').object;
    } catch (error) {
      expect(isDecodeError(error)).toBe(true);
    }
    const pairs = [
      [codec.protobufOfJson(json), () => codec.encodeProtobuf(object)],
      [cborOfJson(kind, json), () => encodeCbor(kind, object)],
      [cborItemOfJson(kind, json), () => atOnce(encodeCborItemSteps(kind, object))],
    ] as const;
    return pairs.map(([converted, encode]) => ({ converted, encoded: object === undefined ? undefined : encode() }));
  }

  /** Either the same bytes, or none. */
  function agree(kind: KindSchema<unknown>, json: Uint8Array): number {
    let count = 0;
    for (const { converted, encoded } of forms(kind, json)) {
      if (converted === undefined) continue;
      expect(hex(converted)).toBe(encoded && hex(encoded));
      count++;
    }
    return count;
  }

  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const objectOf = (kind: KindSchema<unknown>, depth: number) =>
    structArbitrary(kind.schema, depth).map((object) => ({ ...(object as object), ...typeOf(kind) }));
  const typeOf = ({ gvk }: KindSchema<unknown>) => ({ kind: gvk.kind, apiVersion: `${gvk.group}/${gvk.version}` });

  it('is exact for random objects of every kind', () => {
    let converted = 0;
    for (const kind of all) {
      const codec = compileKind(kind);
      const property = fc.property(objectOf(kind, 5), (object) => {
        const json = codec.encodeJson(object);
        converted += agree(kind, json);
        // Parts of it are known now.
        agree(kind, json);
      });
      fc.assert(property, { numRuns: fc.readConfigureGlobal()?.numRuns ?? 5 });
    }
    // Most random objects have numbers or texts that only decoding knows. Goldens have none.
    expect(converted).toBeGreaterThan(all.length);
  });

  /** A text with something in another place, twice, missing or replaced. */
  const changes = fc.record({
    from: fc.nat(),
    length: fc.nat(40),
    to: fc.nat(),
    text: fc.option(
      fc.constantFrom(
        'null',
        '-0',
        '1.5',
        '1e3',
        '12345678901234567890',
        '""',
        '"a"',
        '{}',
        '[]',
        ' ',
        ',',
        '"',
        '\\',
        '\\u00e9',
        '\\ud83d',
        '\\/',
        '\u0000',
        '\ud83d\ude00',
        '{"a":1,"a":2}',
        '{"10":1,"9":2}',
        'true',
        '"0001-01-01T00:00:00Z"',
        '"2026-02-29T00:00:00Z"',
        '"1000m"',
        '0',
      ),
    ),
  });

  const someKind = fc.constantFrom<KindSchema<unknown>>(...kinds.map(([, kind]) => kind));
  const caseWith = <T>(change: fc.Arbitrary<T>) =>
    someKind.chain((kind) => fc.tuple(fc.constant(kind), objectOf(kind, 5), change));

  /** Values that a schema does not have in that place, or JSON leaves out there. */
  const others = fc.oneof(
    fc.constantFrom(null, '', 0, -1, 1.5, 2 ** 31, 2 ** 40, false, true, [], {}, [null], { a: null }, 'Zm9=', '5'),
    fc.jsonValue({ maxDepth: 2 }),
  );

  it('is exact, or leaves it to the decoder, for an object with a value that does not belong there', () => {
    fc.assert(
      fc.property(caseWith(fc.tuple(fc.nat(), others)), ([kind, object, [at, other]]) => {
        const text = Buffer.from(compileKind(kind).encodeJson(object)).toString();
        let values = 0;
        JSON.parse(text, () => values++);
        let left = at % values;
        const changed = JSON.parse(text, (_, value) => (left-- === 0 ? other : value));
        agree(kind, Buffer.from(JSON.stringify(changed)));
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 300 },
    );
  });

  it('is exact, or leaves it to the decoder, for any other text', () => {
    fc.assert(
      fc.property(caseWith(changes), ([kind, object, { from, length, to, text }]) => {
        const json = Buffer.from(compileKind(kind).encodeJson(object)).toString('latin1');
        const start = from % json.length;
        const part = text === null ? json.slice(start, start + length) : Buffer.from(text).toString('latin1');
        const place = to % json.length;
        for (const cut of [0, 1, part.length, length]) {
          agree(kind, Buffer.from(json.slice(0, place) + part + json.slice(place + cut), 'latin1'));
        }
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 300 },
    );
  });
});

describe('untyped values', () => {
  it('write the key of a merge as upstream does, which cannot read it', () => {
    const yaml = encodeYaml({ [MERGE]: '1m', a: MERGE });
    expect(Buffer.from(yaml).toString()).toBe('<<: 1m\na: <<\n');
    expect(() => parseYaml(Buffer.from(yaml))).toThrow('map merge requires map or sequence of maps as the value');
  });

  it('round-trip through JSON and YAML', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const plain = exactNumbers(value);
        fc.pre(!stringifyJson(plain).includes(`"${MERGE}":`));
        expect(parseJsonValue(Buffer.from(stringifyJson(plain)))).toEqual(plain);
        expect(parseYaml(Buffer.from(encodeYaml(plain)))).toEqual(plain);
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 500 },
    );
  });
});
