import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import { compareKeys } from '../../json/compare-keys.js';
import { isMembers } from '../../json/is-members.js';
import type { FieldSchema, ListSchema, MapSchema, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.js';
import { stringifyJson } from '../json/stringify-json.js';
import { timeParts } from '../time-parts.js';
import { encodeWith } from './kept-writer.js';
import { type TypeMeta, writeUnknown } from './protobuf-envelope.js';
import { extensionBytes, rawBytes } from './raw-bytes.js';

/** Writes the content of a message, without tag and length. */
type WriteMessage = (writer: BinaryWriter, value: unknown) => void;
/** Writes a value with its tag, or nothing. */
type WriteField = (writer: BinaryWriter, value: unknown) => void;

type Members = { readonly [key: string]: unknown };

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

const messages = new WeakMap<StructSchema, WriteMessage>();

/**
 * The protobuf message of an object, without envelope. Fields are in ascending number. Fields by value are written even
 * when zero, pointers, lists and maps only when present. Map entries are sorted by key.
 *
 * Upstream: the generated.pb.go files of k8s.io/api
 */
export function encodeMessage(schema: StructSchema, object: unknown): Uint8Array {
  return encodeWith((writer) => structWriter(schema)(writer, object));
}

/** The same with envelope. */
export function encodeEnveloped(schema: StructSchema, typeMeta: TypeMeta, object: unknown): Uint8Array {
  return encodeWith((writer) => writeUnknown(writer, typeMeta, () => structWriter(schema)(writer, object)));
}

function structWriter(schema: StructSchema): WriteMessage {
  const known = messages.get(schema);
  if (known !== undefined) return known;
  let fields: readonly WriteField[] | undefined;
  const write: WriteMessage = (writer, value) => {
    fields ??= compileFields(schema);
    for (const field of fields) field(writer, value);
  };
  messages.set(schema, write);
  return write;
}

function compileFields(schema: StructSchema): readonly WriteField[] {
  const numbered = schema.fields.filter((field) => field.proto > 0);
  return numbered.sort((a, b) => a.proto - b.proto).map(compileField);
}

/** A writer that takes the whole struct and picks its field; an inline struct is a separate message on the wire. */
function compileField(field: FieldSchema): WriteField {
  const { name, schema, proto } = field;
  if (field.inline && schema.type === 'struct') {
    const write = delimited(proto, structWriter(schema));
    return (writer, object) => write(writer, object);
  }
  const write = valueWriter(schema, proto);
  const optional = field.pointer || isNullable(schema);
  return (writer, object) => {
    const value = (object as Members)[name];
    if (value !== undefined && value !== null) write(writer, value);
    else if (!optional) write(writer, undefined);
  };
}

/** True for types that are absent when nothing is written. */
function isNullable(schema: Schema): boolean {
  return schema.type === 'list' || schema.type === 'map' || schema.type === 'bytes';
}

/** Writes one value under a field number; undefined means the type's zero. */
function valueWriter(schema: Schema, proto: number): WriteField {
  const varint = (proto << 3) | VARINT;
  switch (schema.type) {
    case 'string':
      return (writer, value) => writer.uint32((proto << 3) | LENGTH).string((value as string | undefined) ?? '');
    case 'bool':
      return (writer, value) => writer.uint32(varint).bool(value === true);
    case 'int32':
      return (writer, value) => writer.uint32(varint).int32((value as number | undefined) ?? 0);
    case 'int64':
      return (writer, value) => int64(writer.uint32(varint), (value as number | bigint | undefined) ?? 0);
    case 'float64':
      return (writer, value) => writer.uint32((proto << 3) | FIXED64).double((value as number | undefined) ?? 0);
    case 'bytes':
      return (writer, value) =>
        writer.uint32((proto << 3) | LENGTH).bytes(Buffer.from((value as string | undefined) ?? '', 'base64'));
    case 'list':
      return listWriter(schema, proto);
    case 'map':
      return mapWriter(schema, proto);
    default:
      return delimited(proto, messageWriter(schema));
  }
}

function int64(writer: BinaryWriter, value: number | bigint): void {
  if (typeof value === 'number' && value >= 0 && value <= 0x7fffffff) writer.int32(value);
  else writer.int64(value);
}

function delimited(proto: number, write: WriteMessage): WriteField {
  const tag = (proto << 3) | LENGTH;
  return (writer, value) => {
    writer.uint32(tag).fork();
    write(writer, value);
    writer.join();
  };
}

type MessageSchema = Exclude<
  Schema,
  { type: 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'bytes' | 'list' | 'map' }
>;

/** The content of types that are messages on the wire. */
function messageWriter(schema: MessageSchema): WriteMessage {
  switch (schema.type) {
    case 'struct': {
      const write = structWriter(schema);
      return (writer, value) => write(writer, value ?? {});
    }
    case 'time':
    case 'microTime':
      return (writer, value) => writeTime(writer, value);
    case 'duration':
      return notInProtobuf;
    case 'quantity':
      return (writer, value) => void writer.uint32(0x0a).string((value as string | undefined) ?? '0');
    case 'intOrString':
      return writeIntOrString;
    case 'schemaOr':
      return schemaOrWriter(schema);
    case 'unknown':
      return writeUnknownObject;
    case 'any':
      return notInProtobuf;
    case 'fieldsV1':
      return rawMessageWriter(rawBytes);
    default:
      return rawMessageWriter(extensionBytes);
  }
}

function notInProtobuf(): never {
  throw new TypeError('this type has no protobuf form');
}

function writeTime(writer: BinaryWriter, value: unknown): void {
  if (value === undefined || value === null) return;
  const { seconds, nanos } = timeParts(value as string);
  int64(writer.uint32(0x08), seconds);
  writer.uint32(0x10).int32(nanos);
}

function writeIntOrString(writer: BinaryWriter, value: unknown): void {
  const text = typeof value === 'string' ? value : '';
  writer.uint32(0x08).int32(typeof value === 'string' ? 1 : 0);
  writer.uint32(0x10).int32(typeof value === 'number' ? value : 0);
  writer.uint32(0x1a).string(text);
}

function rawMessageWriter(bytesOf: (value: unknown) => Uint8Array): WriteMessage {
  return (writer, value) => {
    if (value !== undefined && value !== null) writer.uint32(0x0a).bytes(bytesOf(value));
  };
}

function writeUnknownObject(writer: BinaryWriter, value: unknown): void {
  writer.uint32(0x0a).fork().uint32(0x0a).string('').uint32(0x12).string('').join();
  if (value !== undefined && value !== null) writer.uint32(0x12).string(stringifyJson(value));
  writer.uint32(0x1a).string('').uint32(0x22).string('');
}

function schemaOrWriter(schema: SchemaOrSchema): WriteMessage {
  const props = structWriter(schema.props);
  const single = schema.alternative === 'bool' ? delimited(2, props) : delimited(1, props);
  const listed =
    schema.alternative === 'array' ? delimited(2, props) : valueWriter({ type: 'string', goName: 'string' }, 2);
  return (writer, value) => {
    const isSchema = isMembers(value);
    if (schema.alternative === 'bool') writer.uint32(0x08).bool(value === true || isSchema);
    if (isSchema) single(writer, value);
    if (Array.isArray(value)) for (const item of value) listed(writer, item);
  };
}

function listWriter(schema: ListSchema, proto: number): WriteField {
  const item = valueWriter(schema.element, schema.wrapped === true ? 1 : proto);
  const items: WriteMessage = (writer, value) => {
    for (const element of (value as readonly unknown[] | undefined) ?? []) item(writer, element ?? undefined);
  };
  return schema.wrapped === true ? delimited(proto, items) : items;
}

function mapWriter({ element }: MapSchema, proto: number): WriteField {
  const tag = (proto << 3) | LENGTH;
  const item = valueWriter(element, 2);
  const optional = element.type !== 'list' && isNullable(element);
  return (writer, value) => {
    const members = value as Members;
    for (const key of Object.keys(members).sort(compareKeys)) {
      const entry = members[key];
      writer.uint32(tag).fork().uint32(0x0a).string(key);
      if (entry !== null && entry !== undefined) item(writer, entry);
      else if (!optional) item(writer, undefined);
      writer.join();
    }
  };
}
