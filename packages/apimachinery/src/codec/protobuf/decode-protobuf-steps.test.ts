import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atOnce } from '../../clock/at-once.js';
import {
  BOOL,
  BYTES,
  FIELDS_V1,
  INLINE,
  INT_OR_STRING,
  INT64,
  JSON_VALUE,
  list,
  map,
  OMIT_EMPTY,
  POINTER,
  QUANTITY,
  RAW_EXTENSION,
  STRING,
  schemaOr,
  struct,
  TIME,
  UNKNOWN,
  wrappedList,
} from '../../schema/builders.js';
import { defineKind } from '../../schema/define-kind.js';
import type { Schema, StructSchema } from '../../schema/schema.js';
import { compileKind } from '../compile-kind.js';

const inline = struct('v1.Inline', 'v1.Inline', () => [
  ['names', 1, map(STRING), OMIT_EMPTY],
  ['count', 2, INT64],
]);
const props: StructSchema = struct('v1.Props', 'v1.Props', () => [
  ['text', 1, STRING, OMIT_EMPTY],
  ['properties', 2, map(props), OMIT_EMPTY],
  ['items', 3, schemaOr('v1.A', 'v1.A', 'array', props), OMIT_EMPTY | POINTER],
  ['additional', 4, schemaOr('v1.B', 'v1.B', 'bool', props), OMIT_EMPTY | POINTER],
  ['dependencies', 5, map(schemaOr('v1.C', 'v1.C', 'stringArray', props)), OMIT_EMPTY],
  ['default', 6, JSON_VALUE, OMIT_EMPTY | POINTER],
  ['all', 7, list(props), OMIT_EMPTY],
  ['labels', 8, map(STRING), OMIT_EMPTY],
]);
const odd = struct('v1.Odd', 'v1.Odd', () => [
  ['props', 1, props],
  ['pointer', 2, props, OMIT_EMPTY | POINTER],
  ['inline', 3, inline, INLINE],
  ['raw', 4, RAW_EXTENSION, OMIT_EMPTY],
  ['raws', 5, list(RAW_EXTENSION)],
  ['fields', 6, FIELDS_V1, OMIT_EMPTY | POINTER],
  ['unknown', 7, UNKNOWN, OMIT_EMPTY],
  ['amounts', 8, map(QUANTITY), OMIT_EMPTY],
  ['time', 9, TIME, OMIT_EMPTY],
  ['port', 10, INT_OR_STRING, OMIT_EMPTY],
  ['bytes', 11, map(BYTES), OMIT_EMPTY],
  ['numbers', 12, list(INT64), OMIT_EMPTY],
  ['extra', 13, map(wrappedList('v1.Extra', STRING)), OMIT_EMPTY],
  ['flag', 14, BOOL, OMIT_EMPTY],
  ['maps', 15, map(map(props)), OMIT_EMPTY],
]);
const codec = compileKind(defineKind(['', 'v1', 'Odd'], odd));
const codecs = [codec, compileKind(defineKind(['', 'v1', 'Props'], props))];
type Codec = (typeof codecs)[number];

/** Long enough that every message around it is read in steps. */
const LONG = 'x'.repeat(5_000);

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constant(LONG) },
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'b', '10', '9', '__proto__') },
  fc.string(),
);
const rawJson = fc.oneof(
  { weight: 20, arbitrary: fc.json().map((json) => json + ' '.repeat(5_000)) },
  fc.constantFrom('', '{', '12345678901234567890', '1e999', `{"b":1,"a":[{}],"b":"${'y'.repeat(300_000)}"}`),
);

/** Writes a field. */
type Write = (writer: BinaryWriter) => void;

function delimited(number: number, fields: readonly Write[]): Write {
  return (writer) => {
    writer.tag(number, WireType.LengthDelimited).fork();
    for (const field of fields) field(writer);
    writer.join();
  };
}

const varint = (number: number) =>
  fc.bigInt({ min: -5n, max: 2n ** 62n }).map(
    (n): Write =>
      (writer) =>
        writer.tag(number, WireType.Varint).int64(n),
  );
const textField = (number: number, value = text) =>
  value.map(
    (one): Write =>
      (writer) =>
        writer.tag(number, WireType.LengthDelimited).string(one),
  );

/** A field that no schema has, or one of a wrong type. */
const strange = fc.oneof(
  fc.constant<Write>((writer) => writer.tag(99, WireType.LengthDelimited).string(LONG)),
  fc.nat(15).map(
    (number): Write =>
      (writer) =>
        writer.tag(number + 1, WireType.Bit32).fixed32(1),
  ),
);

function oneField(number: number, schema: Schema, depth: number): fc.Arbitrary<Write> {
  const message = (fields: fc.Arbitrary<Write>[]) =>
    fc.array(fc.oneof(...fields), { maxLength: 3 }).map((parts) => delimited(number, parts));
  switch (schema.type) {
    case 'struct':
      return fields(schema, depth - 1).map((parts) => delimited(number, parts));
    case 'schemaOr':
      return message([oneField(1, schema.props, depth - 1), oneField(2, schema.props, depth - 1), varint(1)]);
    case 'map':
      return message([textField(1), oneField(2, schema.element, depth)]);
    case 'list':
      return schema.wrapped ? message([textField(1)]) : oneField(number, schema.element, depth);
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
    case 'unknown':
      return message([textField(schema.type === 'unknown' ? 2 : 1, rawJson)]);
    case 'quantity':
      return message([textField(1, fc.constantFrom('1', '100m', '1Gi'))]);
    case 'time':
      return message([varint(1)]);
    case 'intOrString':
      return message([varint(1), varint(2), textField(3)]);
    case 'int64':
    case 'bool':
      return varint(number);
    default:
      return textField(number);
  }
}

/** Fields in any order, again and again, and seldom a strange one. */
function fields(schema: StructSchema, depth: number): fc.Arbitrary<readonly Write[]> {
  if (depth <= 0) return fc.constant([]);
  const known = schema.fields.map((field) => oneField(field.proto, field.schema, depth));
  const any = fc.oneof({ weight: 200, arbitrary: fc.oneof(...known) }, { weight: 1, arbitrary: strange });
  return fc.array(any, { minLength: 1, maxLength: 8 });
}

/** A byte that is replaced in a few messages, and its new value. */
const damages = fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, fc.tuple(fc.nat(), fc.nat(255)));

/** A kind's message. */
const messages = fc.constantFrom(...codecs).chain((codec) =>
  fc.tuple(fields(codec.schema.schema, 4), damages).map(([parts, damage]) => {
    const writer = new BinaryWriter();
    for (const part of parts) part(writer);
    const bytes = writer.finish();
    if (damage !== null && bytes.length > 0) bytes[damage[0] % bytes.length] = damage[1];
    return { codec, bytes };
  }),
);

/** The result, with the order of its members, or the error. */
function outcome(decode: () => { readonly object: unknown }): unknown {
  try {
    return JSON.stringify(decode().object, (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  } catch (error) {
    return error;
  }
}

/** The most values with which a message is refused. */
function refusedWith(codec: Codec, bytes: Uint8Array): number {
  let [refused, accepted] = [0, 5_000];
  while (accepted - refused > 1) {
    const middle = (refused + accepted) >> 1;
    if (outcome(() => codec.decodeProtobufMessage(bytes, middle)) instanceof Error) refused = middle;
    else accepted = middle;
  }
  return refused;
}

it('decodes in steps what it decodes in one go, or throws the same error', () => {
  fc.assert(
    fc.property(messages, ({ codec, bytes }) => {
      const refused = refusedWith(codec, bytes);
      for (const maxValues of [undefined, refused, refused + 1]) {
        const inSteps = outcome(() => atOnce(codec.decodeProtobufMessageSteps(bytes, maxValues)));
        expect(inSteps).toEqual(outcome(() => codec.decodeProtobufMessage(bytes, maxValues)));
      }
    }),
    { numRuns: fc.readConfigureGlobal()?.numRuns ?? 300 },
  );
});

it('decodes a map of very many entries in short steps', () => {
  const entries = Array.from({ length: 20_000 }, (_, i) => [`k${(i * 7_919) % 20_000}`, 'v']);
  const bytes = codec.encodeProtobufMessage({ props: { labels: Object.fromEntries(entries) } } as never);
  const steps = codec.decodeProtobufMessageSteps(bytes);
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  expect(step.value).toEqual(codec.decodeProtobufMessage(bytes));
  expect(count).toBeGreaterThan(bytes.length / (20 * 1024));
});

it('sorts maps that come in several pieces', () => {
  const piece = (key: string) => codec.encodeProtobufMessage({ props: { labels: { [key]: LONG } } } as never);
  const bytes = Buffer.concat([piece('b'), piece('a')]);
  const inSteps = outcome(() => atOnce(codec.decodeProtobufMessageSteps(bytes)));
  expect(inSteps).toBe(outcome(() => codec.decodeProtobufMessage(bytes)));
});
