import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { setOwn } from '../json/set-own.js';
import type { FieldSchema, ListSchema, MapSchema, Schema, SchemaOrSchema, StructSchema } from '../schema/schema.js';
import { DecodeError } from './decode-error.js';
import { parseJsonValue } from './parse-json.js';
import { readingProtobuf } from './protobuf-envelope.js';
import { microTimeFromParts, timeFromParts } from './time-parts.js';

type Members = { [key: string]: unknown };

/** Reads one occurrence of a field on top of what came before and returns the new value. */
type ReadField = (reader: BinaryReader, wireType: WireType, previous: unknown) => unknown;
/** Reads a message's bytes on top of what came before. */
type ReadMessage = (bytes: Uint8Array, previous: unknown) => unknown;

const messages = new WeakMap<StructSchema, ReadMessage>();

/**
 * The value of a protobuf message without envelope. Fields that are not on the wire are not in the value: the
 * canonicalizer fills them. Unknown fields are passed over. Throws DecodeError.
 */
export function decodeMessage(schema: StructSchema, bytes: Uint8Array): Members {
  return readingProtobuf(() => structReader(schema)(bytes, undefined) as Members);
}

function structReader(schema: StructSchema): ReadMessage {
  const known = messages.get(schema);
  if (known !== undefined) return known;
  let fields: ReadonlyMap<number, { name: string; inline: boolean; read: ReadField }> | undefined;
  const read: ReadMessage = (bytes, previous) => {
    fields ??= compileFields(schema);
    const out = (previous ?? {}) as Members;
    const reader = new BinaryReader(bytes, decodeUtf8);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      const field = fields.get(number);
      if (field === undefined) reader.skip(wireType, number);
      else if (field.inline) field.read(reader, wireType, out);
      else out[field.name] = field.read(reader, wireType, out[field.name]);
    }
    return out;
  };
  messages.set(schema, read);
  return read;
}

/** UTF-8 that is not well-formed reads as U+FFFD, as it would come out in JSON. */
function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function compileFields(schema: StructSchema): Map<number, { name: string; inline: boolean; read: ReadField }> {
  const fields = schema.fields.filter((field) => field.proto > 0);
  return new Map(fields.map((field) => [field.proto, compileField(schema, field)]));
}

function compileField(owner: StructSchema, field: FieldSchema): { name: string; inline: boolean; read: ReadField } {
  const read = fieldReader(field.schema);
  const expected = wireTypeOf(field.schema);
  const checked: ReadField = (reader, wireType, previous) => {
    if (wireType !== expected && !(expected !== WireType.LengthDelimited && wireType === WireType.LengthDelimited)) {
      throw new DecodeError('syntax', `proto: wrong wireType = ${wireType} for field ${field.name} of ${owner.goName}`);
    }
    return read(reader, wireType, previous);
  };
  return { name: field.name, inline: field.inline, read: checked };
}

function wireTypeOf(schema: Schema): WireType {
  switch (schema.type) {
    case 'bool':
    case 'int32':
    case 'int64':
      return WireType.Varint;
    case 'float64':
      return WireType.Bit64;
    case 'list':
      return schema.wrapped === true ? WireType.LengthDelimited : wireTypeOf(schema.element);
    default:
      return WireType.LengthDelimited;
  }
}

function fieldReader(schema: Schema): ReadField {
  switch (schema.type) {
    case 'list':
      return schema.wrapped === true ? wrappedListReader(schema) : listReader(schema);
    case 'map':
      return mapReader(schema);
    default:
      return valueReader(schema);
  }
}

function valueReader(schema: Schema): ReadField {
  switch (schema.type) {
    case 'string':
      return (reader) => reader.string();
    case 'bool':
      return (reader) => reader.bool();
    case 'int32':
      return (reader) => reader.int32();
    case 'int64':
      return (reader) => safeInteger(reader.int64());
    case 'float64':
      return (reader) => reader.double();
    case 'bytes':
      return (reader) => base64(reader.bytes());
    case 'list':
    case 'map':
      return fieldReader(schema);
    default: {
      const read = messageReader(schema);
      return (reader, _wireType, previous) => read(reader.bytes(), previous);
    }
  }
}

function safeInteger(value: bigint | string): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

type MessageSchema = Exclude<
  Schema,
  { type: 'string' | 'bool' | 'int32' | 'int64' | 'float64' | 'bytes' | 'list' | 'map' }
>;

function messageReader(schema: MessageSchema): ReadMessage {
  switch (schema.type) {
    case 'struct':
      return structReader(schema);
    case 'time':
      return (bytes) => readTimestamp(bytes, (seconds) => timeFromParts(seconds));
    case 'microTime':
      return (bytes) => readTimestamp(bytes, microTimeFromParts);
    case 'quantity':
      return readQuantity;
    case 'intOrString':
      return readIntOrString;
    case 'schemaOr':
      return schemaOrReader(schema);
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
      return (bytes) => readRaw(bytes, 1);
    case 'unknown':
      return (bytes) => readRaw(bytes, 2);
    default:
      throw new TypeError(`${schema.type} has no protobuf form`);
  }
}

/** Calls `read` for every field of a small message; it returns false for a field it does not know. */
function eachField(bytes: Uint8Array, read: (field: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes, decodeUtf8);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (!read(field, reader)) reader.skip(wireType, field);
  }
}

/** Null for the empty message, which is the zero time. */
function readTimestamp(bytes: Uint8Array, format: (seconds: number, nanos: number) => string): string | null {
  if (bytes.length === 0) return null;
  let seconds = 0;
  let nanos = 0;
  eachField(bytes, (field, reader) => {
    if (field === 1) seconds = Number(reader.int64());
    else if (field === 2) nanos = reader.int32();
    else return false;
    return true;
  });
  return format(seconds, nanos);
}

function readQuantity(bytes: Uint8Array): string {
  let text = '';
  eachField(bytes, (field, reader) => {
    if (field !== 1) return false;
    text = reader.string();
    return true;
  });
  return text === '' ? '0' : text;
}

function readIntOrString(bytes: Uint8Array): number | string {
  let isString = false;
  let number = 0;
  let text = '';
  eachField(bytes, (field, reader) => {
    if (field === 1) isString = safeInteger(reader.int64()) === 1;
    else if (field === 2) number = reader.int32();
    else if (field === 3) text = reader.string();
    else return false;
    return true;
  });
  return isString ? text : number;
}

function readRaw(bytes: Uint8Array, rawField: number): unknown {
  let value: unknown = null;
  eachField(bytes, (field, reader) => {
    if (field !== rawField) return false;
    const raw = reader.bytes();
    value = raw.length === 0 ? null : parseJsonValue(raw);
    return true;
  });
  return value;
}

function schemaOrReader(schema: SchemaOrSchema): ReadMessage {
  const { alternative } = schema;
  const props = structReader(schema.props);
  return (bytes) => {
    let allows = false;
    let single: unknown;
    const items: unknown[] = [];
    eachField(bytes, (field, reader) => {
      if (field !== 1 && field !== 2) return false;
      if (alternative === 'bool' && field === 1) allows = reader.bool();
      else if (alternative === 'stringArray' && field === 2) items.push(reader.string());
      else if (alternative === 'array' && field === 2) items.push(props(reader.bytes(), undefined));
      else single = props(reader.bytes(), single);
      return true;
    });
    if (items.length > 0) return items;
    return single ?? (alternative === 'bool' ? allows : null);
  };
}

/** Each occurrence adds an element; numbers may also come packed. */
function listReader(schema: ListSchema): ReadField {
  const read = valueReader(schema.element);
  const packable = wireTypeOf(schema.element) !== WireType.LengthDelimited;
  return (reader, wireType, previous) => {
    const out = (previous ?? []) as unknown[];
    if (!packable || wireType !== WireType.LengthDelimited) {
      out.push(read(reader, wireType, undefined));
      return out;
    }
    const packed = new BinaryReader(reader.bytes());
    while (packed.pos < packed.len) out.push(read(packed, wireType, undefined));
    return out;
  };
}

function wrappedListReader(schema: ListSchema): ReadField {
  const read = valueReader(schema.element);
  return (reader, wireType, previous) => {
    const out = (previous ?? []) as unknown[];
    eachField(reader.bytes(), (field, inner) => {
      if (field !== 1) return false;
      out.push(read(inner, wireType, undefined));
      return true;
    });
    return out;
  };
}

function mapReader({ element }: MapSchema): ReadField {
  const read = valueReader(element);
  return (reader, wireType, previous) => {
    const out = (previous ?? {}) as Members;
    let key = '';
    let value: unknown = null;
    eachField(reader.bytes(), (field, inner) => {
      if (field === 1) key = inner.string();
      else if (field === 2) value = read(inner, wireType, undefined);
      else return false;
      return true;
    });
    setOwn(out, key, value);
    return out;
  };
}
