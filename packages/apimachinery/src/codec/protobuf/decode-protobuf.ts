import { WireType } from '@bufbuild/protobuf/wire';
import { DecodeError } from '../../errors/decode-error.js';
import { setOwn } from '../../json/set-own.js';
import type { FieldSchema, ListSchema, MapSchema, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.js';
import type { Members } from '../canonical/canonical-context.js';
import { canonicalQuantity } from '../canonical/canonical-text.js';
import { assemble, type CompiledStruct, compiledStruct, zeroOf } from '../canonical/canonicalize.js';
import { hasOrder, sortInPlace, sortMembers } from '../canonical/member-order.js';
import { parseJsonValue } from '../json/parse-json.js';
import { hasFourDigitYear, microTimeFromParts, nearestTime, timeFromParts, YEAR_OUT_OF_RANGE } from '../time-parts.js';
import { goFieldName } from './go-field-name.js';
import { readingProtobuf } from './protobuf-envelope.js';
import { expectWireType, ProtobufReader, VALUE_COST } from './protobuf-reader.js';
import { SchemaOrMessage } from './schema-or-message.js';

/** Reads one occurrence of a field on top of its earlier value and returns the new value. */
type ReadField = (reader: ProtobufReader, wireType: WireType, previous: unknown) => unknown;
/** Reads a message that ends at `end` on top of its earlier value. */
type ReadMessage = (reader: ProtobufReader, end: number, previous: unknown) => unknown;

/** A field of a message: the index of its value in the struct, or, for an inline struct, the fields of its message. */
type MessageField = ValueField | { readonly name: string; readonly inline: MessageFields };

interface ValueField {
  readonly name: string;
  readonly index: number;
  readonly schema: Schema;
  readonly isMap: boolean;
  /** Throws a DecodeError for a wire type that the field does not have. */
  readonly check: (wireType: WireType) => void;
  /** Checks the wire type, and reads an occurrence of the field. */
  readonly read: ReadField;
}

/** By number, and in order of the schema. */
export interface MessageFields {
  readonly byNumber: readonly (MessageField | undefined)[];
  readonly all: readonly MessageField[];
}

/** A struct and the fields of its message. */
interface CompiledMessage {
  readonly struct: CompiledStruct;
  readonly fields: MessageFields;
}

const compiledMessages = new WeakMap<StructSchema, CompiledMessage>();
const messages = new WeakMap<StructSchema, ReadMessage>();

/**
 * The canonical object of a protobuf message without envelope, which carries the object's type. Unknown fields are
 * skipped. Throws DecodeError. `maxValues`: as in KindCodec.decodeProtobuf.
 */
export function decodeMessage(
  schema: StructSchema,
  bytes: Uint8Array,
  typeMeta: { readonly kind: string; readonly apiVersion: string },
  maxValues?: number,
): Members {
  const reader = new ProtobufReader(bytes, maxValues);
  return readingProtobuf(() => {
    const object = structReader(schema)(reader, bytes.length, objectOfType(typeMeta)) as Members;
    for (const map of reader.reopened ?? []) sortInPlace(map);
    return object;
  });
}

/** An object of which only the type is known. */
export function objectOfType({ kind, apiVersion }: { readonly kind: string; readonly apiVersion: string }): Members {
  const object: Members = {};
  if (kind !== '') object['kind'] = kind;
  if (apiVersion !== '') object['apiVersion'] = apiVersion;
  return object;
}

/** The message of a struct, compiled on first use. */
export function compiledMessage(schema: StructSchema): CompiledMessage {
  let compiled = compiledMessages.get(schema);
  if (compiled === undefined) {
    const struct = compiledStruct(schema);
    compiled = { struct, fields: compileFields(schema, struct) };
    compiledMessages.set(schema, compiled);
  }
  return compiled;
}

function structReader(schema: StructSchema): ReadMessage {
  const known = messages.get(schema);
  if (known !== undefined) return known;
  let compiled: CompiledMessage | undefined;
  const read: ReadMessage = (reader, end, previous) => {
    compiled ??= compiledMessage(schema);
    const { struct, fields } = compiled;
    const message = beginMessage(struct, reader, previous);
    readFields(reader, end, { fields, slots: message.slots });
    settle(struct, fields, message);
    return assemble(struct.fields, message.slots);
  };
  messages.set(schema, read);
  return read;
}

/** The values of a message before it, or a further piece of it, is read. */
export function beginMessage(struct: CompiledStruct, reader: ProtobufReader, previous: unknown): Settling {
  const slots = new Array<unknown>(struct.fields.length);
  if (previous === undefined) return { slots, before: undefined, reader };
  fillSlots(struct, slots, previous as Members);
  return { slots, before: [...slots], reader };
}

/** A message may come in pieces: values of an earlier piece stay unless a later one overrides them. */
function fillSlots({ byName }: CompiledStruct, slots: unknown[], previous: Members): void {
  for (const name of Object.keys(previous)) {
    const field = byName.get(name);
    if (field !== undefined) slots[field.index] = previous[name] ?? undefined;
  }
}

/** Sorts maps, once they are complete, and removes values that JSON does not show. */
function settle(struct: CompiledStruct, fields: MessageFields, into: Settling): void {
  const { slots } = into;
  for (const field of fields.all) {
    if ('inline' in field) settle(struct, field.inline, into);
    else if (slots[field.index] !== undefined && !(field.isMap && settlesLater(field, into))) {
      const value = slots[field.index];
      if (field.isMap && !hasOrder(value as Members)) slots[field.index] = sortMembers(value as Members);
      else if (struct.fields[field.index]?.isDropped(value) === true) slots[field.index] = undefined;
    }
  }
}

/** Notes a map to which pieces add, and returns true: a scan of the whole map for each piece would take minutes. */
export function settlesLater({ index }: ValueField, { slots, before, reader }: Settling): boolean {
  if (before?.[index] === undefined) return false;
  reader.reopened ??= new Set();
  reader.reopened.add(slots[index] as Members);
  return true;
}

function readFields(reader: ProtobufReader, end: number, into: { fields: MessageFields; slots: unknown[] }): void {
  const { fields, slots } = into;
  reader.fields(end, (number, wireType) => {
    const field = fields.byNumber[number];
    if (field === undefined) return false;
    if ('inline' in field) {
      expectWireType(wireType, WireType.LengthDelimited, field.name);
      readFields(reader, reader.end(), { fields: field.inline, slots });
    } else slots[field.index] = field.read(reader, wireType, slots[field.index]);
    return true;
  });
}

/** A message whose pieces are not yet merged. */
export interface Settling {
  readonly slots: unknown[];
  /** The value from earlier pieces of the message. */
  readonly before: readonly unknown[] | undefined;
  readonly reader: ProtobufReader;
}

function compileFields(schema: StructSchema, struct: CompiledStruct): MessageFields {
  const byNumber: (MessageField | undefined)[] = [];
  const all: MessageField[] = [];
  for (const field of schema.fields) {
    if (field.proto <= 0) continue;
    const compiled = compileField(schema, field, struct);
    byNumber[field.proto] = compiled;
    all.push(compiled);
  }
  return { byNumber: Array.from(byNumber), all };
}

function compileField(owner: StructSchema, field: FieldSchema, struct: CompiledStruct): MessageField {
  const { name, schema } = field;
  if (field.inline && schema.type === 'struct') {
    return { name: schema.goName.slice(schema.goName.indexOf('.') + 1), inline: compileFields(schema, struct) };
  }
  const expected = wireTypeOf(schema);
  const check = (wireType: WireType): void => {
    // Numbers of a list may be packed.
    if (wireType !== expected && !(schema.type === 'list' && wireType === WireType.LengthDelimited)) {
      const goName = goFieldName(owner, field);
      throw new DecodeError('syntax', `proto: wrong wireType = ${wireType} for field ${goName}`);
    }
  };
  const read = fieldReader(schema);
  const checked: ReadField = (reader, wireType, previous) => {
    if (wireType !== expected) check(wireType);
    return read(reader, wireType, previous);
  };
  const index = struct.byName.get(name)?.index ?? -1;
  return { name, index, schema, isMap: schema.type === 'map', check, read: checked };
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

/** Reads a value in one go. */
export function valueReader(schema: Schema): ReadField {
  switch (schema.type) {
    case 'string':
      return (reader) => reader.string();
    case 'bool':
      return (reader) => reader.wire.bool();
    case 'int32':
      return (reader) => reader.wire.int32();
    case 'int64':
      return (reader) => safeInteger(reader.wire.int64());
    case 'float64':
      return (reader) => reader.wire.double();
    case 'bytes':
      return (reader) => reader.base64();
    case 'list':
    case 'map':
      return fieldReader(schema);
    default: {
      const read = messageReader(schema);
      return (reader, _wireType, previous) => {
        if (previous !== undefined) reader.spend(VALUE_COST);
        return read(reader, reader.end(), previous);
      };
    }
  }
}

function safeInteger(value: bigint | string): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
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
      return (reader, end) => readTimestamp(reader, end, (seconds) => timeFromParts(seconds));
    case 'microTime':
      return (reader, end) => readTimestamp(reader, end, microTimeFromParts);
    case 'quantity':
      return readQuantity;
    case 'intOrString':
      return readIntOrString;
    case 'schemaOr':
      return schemaOrReader(schema);
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
    case 'unknown':
      return (reader, end) => readRaw(reader, end, rawFieldOf(schema));
    default:
      throw new TypeError(`${schema.type} has no protobuf form`);
  }
}

/** Null for the empty message, which is the zero time. */
function readTimestamp(
  reader: ProtobufReader,
  end: number,
  format: (seconds: number, nanos: number) => string,
): string | null {
  if (reader.wire.pos === end) return null;
  let seconds = 0;
  let nanos = 0;
  reader.fields(end, (field, wireType) => {
    if (field !== 1 && field !== 2) return false;
    expectWireType(wireType, WireType.Varint, field === 1 ? 'Seconds' : 'Nanos');
    if (field === 1) seconds = Number(reader.wire.int64());
    else nanos = reader.wire.int32();
    return true;
  });
  if (hasFourDigitYear(seconds)) return format(seconds, nanos);
  if (reader.isSent) throw new DecodeError('syntax', `proto: ${YEAR_OUT_OF_RANGE}`);
  // An object that upstream or an earlier version stored must stay readable, or nobody could delete it.
  return format(nearestTime(seconds), 0);
}

/** Without a text it is zero, but an empty text is none. Throws ParseError. */
function readQuantity(reader: ProtobufReader, end: number): string {
  let text: string | undefined;
  reader.fields(end, (field, wireType) => {
    if (field !== 1) return false;
    expectWireType(wireType, WireType.LengthDelimited, 'String_');
    text = reader.string();
    return true;
  });
  return text === undefined ? '0' : canonicalQuantity(text);
}

/** The fields of an IntOrString, by number. */
const INT_OR_STRING: readonly (string | undefined)[] = [undefined, 'Type', 'IntVal', 'StrVal'];

function readIntOrString(reader: ProtobufReader, end: number): number | string {
  let isString = false;
  let number = 0;
  let text = '';
  reader.fields(end, (field, wireType) => {
    const part = INT_OR_STRING[field];
    if (part === undefined) return false;
    expectWireType(wireType, field === 3 ? WireType.LengthDelimited : WireType.Varint, part);
    if (field === 1) isString = safeInteger(reader.wire.int64()) === 1;
    else if (field === 2) number = reader.wire.int32();
    else text = reader.string();
    return true;
  });
  return isString ? text : number;
}

/** Number of the field that has the JSON of a raw value. */
export function rawFieldOf({ type }: Schema): number {
  return type === 'unknown' ? 2 : 1;
}

function readRaw(reader: ProtobufReader, end: number, rawField: number): unknown {
  let value: unknown = null;
  reader.fields(end, (field, wireType) => {
    if (field !== rawField) return false;
    expectWireType(wireType, WireType.LengthDelimited, 'Raw');
    const raw = reader.bytes();
    value = raw.length === 0 ? null : parseJsonValue(raw);
    return true;
  });
  return value;
}

function schemaOrReader(schema: SchemaOrSchema): ReadMessage {
  const props = structReader(schema.props);
  return (reader, end) => {
    const message = new SchemaOrMessage(schema, reader);
    reader.fields(end, (field, wireType) => {
      const taken = message.take(field, wireType);
      if (taken === 'schema') message.add(field, props(reader, reader.end(), message.before(field)));
      return taken !== false;
    });
    return message.value();
  };
}

/** Each occurrence adds an element; numbers may also be packed. */
function listReader(schema: ListSchema): ReadField {
  const read = valueReader(schema.element);
  const packable = wireTypeOf(schema.element) !== WireType.LengthDelimited;
  return (reader, wireType, previous) => {
    const out = (previous ?? []) as unknown[];
    if (!packable || wireType !== WireType.LengthDelimited) {
      reader.spend(VALUE_COST - 1);
      out.push(read(reader, wireType, undefined));
      return out;
    }
    const end = reader.end();
    while (reader.wire.pos < end) {
      reader.spend(VALUE_COST);
      out.push(read(reader, wireType, undefined));
    }
    return out;
  };
}

function wrappedListReader(schema: ListSchema): ReadField {
  const read = valueReader(schema.element);
  return (reader, wireType, previous) => {
    const out = (previous ?? []) as unknown[];
    reader.fields(reader.end(), (field) => {
      if (field !== 1) return false;
      reader.spend(VALUE_COST - 1);
      out.push(read(reader, wireType, undefined));
      return true;
    });
    return out;
  };
}

/** Cost of an entry. Its field, key and value are counted as fields too. */
export const ENTRY_COST: number = VALUE_COST - 3;

/** The value of an entry that has none. */
export function zeroOfEntry(element: Schema): () => unknown {
  if (element.type === 'bytes') return () => '';
  return element.type === 'list' ? () => [] : zeroOf(element);
}

function mapReader({ element }: MapSchema): ReadField {
  const read = valueReader(element);
  const zero = zeroOfEntry(element);
  return (reader, wireType, previous) => {
    const out = (previous ?? {}) as Members;
    reader.spend(ENTRY_COST);
    let key = '';
    let value: unknown = zero();
    const readEntry = (field: number): boolean => {
      if (field === 1) key = reader.string();
      else if (field === 2) value = read(reader, wireType, undefined);
      else return false;
      return true;
    };
    reader.fields(reader.end(), readEntry, true);
    setOwn(out, key, value);
    return out;
  };
}
