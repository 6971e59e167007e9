import { WireType } from '@bufbuild/protobuf/wire';
import { isMembers } from '../../json/is-members.js';
import { setOwn } from '../../json/set-own.js';
import type { ListSchema, MapSchema, Schema, SchemaOrSchema, StructSchema } from '../../schema/schema.js';
import type { Members } from '../canonical/canonical-context.js';
import { assemble, type CompiledStruct } from '../canonical/canonicalize.js';
import type { DecodingSteps } from '../canonical/decoding-steps.js';
import { orderedSteps, sortInPlaceSteps } from '../canonical/member-order.js';
import { isLargeJson, parseJsonValue, parseJsonValueSteps } from '../json/parse-json.js';
import {
  beginMessage,
  compiledMessage,
  ENTRY_COST,
  type MessageFields,
  objectOfType,
  rawFieldOf,
  type Settling,
  settlesLater,
  valueReader,
  zeroOfEntry,
} from './decode-protobuf.js';
import { readingProtobufSteps, type TypeMeta } from './protobuf-envelope.js';
import { expectWireType, ProtobufReader, VALUE_COST } from './protobuf-reader.js';
import { SchemaOrMessage } from './schema-or-message.js';

/**
 * The same as `decodeMessage` in steps of a few milliseconds, for large messages. Only fields that are large themselves
 * are read in steps: all others are read as `decodeMessage` reads them.
 */
export function decodeMessageSteps(
  schema: StructSchema,
  bytes: Uint8Array,
  typeMeta: TypeMeta,
  maxValues?: number,
): DecodingSteps<Members> {
  return readingProtobufSteps(objectSteps(schema, new ProtobufReader(bytes, maxValues), typeMeta));
}

function* objectSteps(schema: StructSchema, reader: ProtobufReader, typeMeta: TypeMeta): DecodingSteps<Members> {
  const object = yield* structSteps(reader, schema, { end: reader.wire.len, previous: objectOfType(typeMeta) });
  for (const map of reader.reopened ?? []) yield* sortInPlaceSteps(map);
  return object;
}

/** Where a message ends, and its value from earlier pieces. */
interface Piece {
  readonly end: number;
  readonly previous: unknown;
}

/** A schema of values that may be large for other reasons than a long text. */
type NestedSchema = Extract<
  Schema,
  { type: 'struct' | 'schemaOr' | 'map' | 'list' | 'rawExtension' | 'fieldsV1' | 'json' | 'unknown' }
>;

function isNested(schema: Schema): schema is NestedSchema {
  switch (schema.type) {
    case 'struct':
    case 'schemaOr':
    case 'rawExtension':
    case 'fieldsV1':
    case 'json':
    case 'unknown':
      return true;
    case 'map':
      return isNested(schema.element);
    case 'list':
      return schema.wrapped !== true && isNested(schema.element);
    default:
      return false;
  }
}

function* structSteps(reader: ProtobufReader, schema: StructSchema, { end, previous }: Piece): DecodingSteps<Members> {
  const { struct, fields } = compiledMessage(schema);
  const message = beginMessage(struct, reader, previous);
  yield* partSteps(reader, end, { fields, slots: message.slots });
  yield* settleSteps(struct, fields, message);
  return assemble(struct.fields, message.slots);
}

function partSteps(
  reader: ProtobufReader,
  end: number,
  { fields, slots }: { readonly fields: MessageFields; readonly slots: unknown[] },
): DecodingSteps<void> {
  return reader.fieldSteps(end, (number, wireType) => {
    const field = fields.byNumber[number];
    if (field === undefined) return false;
    if ('inline' in field) {
      expectWireType(wireType, WireType.LengthDelimited, field.name);
      return partSteps(reader, reader.end(), { fields: field.inline, slots });
    }
    const { schema, index } = field;
    field.check(wireType);
    if (isNested(schema) && reader.isLarge()) {
      return taken(valueSteps(reader, schema, slots[index]), (value) => {
        slots[index] = value;
      });
    }
    slots[index] = field.read(reader, wireType, slots[index]);
    return true;
  });
}

/** Passes the result of steps to `take`. */
function* taken(steps: DecodingSteps<unknown>, take: (value: unknown) => void): DecodingSteps<void> {
  take(yield* steps);
}

/** The steps of `settle`. */
function* settleSteps(struct: CompiledStruct, fields: MessageFields, into: Settling): DecodingSteps<void> {
  const { slots } = into;
  for (const field of fields.all) {
    if ('inline' in field) yield* settleSteps(struct, field.inline, into);
    else if (slots[field.index] !== undefined && !(field.isMap && settlesLater(field, into))) {
      const { index } = field;
      const value = slots[index];
      if (field.isMap && isMembers(value)) slots[index] = yield* orderedSteps(value);
      if (struct.fields[index]?.isDropped(slots[index]) === true) slots[index] = undefined;
    }
  }
}

function valueSteps(reader: ProtobufReader, schema: NestedSchema, previous: unknown): DecodingSteps<unknown> {
  if (schema.type === 'map') return entrySteps(reader, schema, previous);
  if (schema.type === 'list') return itemSteps(reader, schema, previous);
  if (previous !== undefined) reader.spend(VALUE_COST);
  const end = reader.end();
  switch (schema.type) {
    case 'struct':
      return structSteps(reader, schema, { end, previous });
    case 'schemaOr':
      return schemaOrSteps(reader, schema, end);
    default:
      return rawSteps(reader, rawFieldOf(schema), end);
  }
}

/** An occurrence of a list's field, which is one element. */
function* itemSteps(reader: ProtobufReader, { element }: ListSchema, previous: unknown): DecodingSteps<unknown> {
  if (!isNested(element)) throw new TypeError(`${element.type} is not read in steps`);
  const out: unknown[] = Array.isArray(previous) ? previous : [];
  reader.spend(VALUE_COST - 1);
  out.push(yield* valueSteps(reader, element, undefined));
  return out;
}

/** An occurrence of a map's field, which is one entry. */
function* entrySteps(reader: ProtobufReader, { element }: MapSchema, previous: unknown): DecodingSteps<unknown> {
  const out = isMembers(previous) ? previous : {};
  const read = valueReader(element);
  reader.spend(ENTRY_COST);
  let key = '';
  let value: unknown = zeroOfEntry(element)();
  const readEntry = (field: number): boolean | DecodingSteps<void> => {
    if (field === 1) key = reader.string();
    else if (field !== 2) return false;
    else if (isNested(element) && reader.isLarge()) {
      return taken(valueSteps(reader, element, undefined), (result) => {
        value = result;
      });
    } else value = read(reader, WireType.LengthDelimited, undefined);
    return true;
  };
  yield* reader.fieldSteps(reader.end(), readEntry, true);
  setOwn(out, key, value);
  return out;
}

function* schemaOrSteps(reader: ProtobufReader, schema: SchemaOrSchema, end: number): DecodingSteps<unknown> {
  const message = new SchemaOrMessage(schema, reader);
  yield* reader.fieldSteps(end, (field, wireType) => {
    const part = message.take(field, wireType);
    if (part !== 'schema') return part;
    const previous = message.before(field);
    const steps = structSteps(reader, schema.props, { end: reader.end(), previous });
    return taken(steps, (value) => message.add(field, value));
  });
  return message.value();
}

function* rawSteps(reader: ProtobufReader, rawField: number, end: number): DecodingSteps<unknown> {
  let value: unknown = null;
  yield* reader.fieldSteps(end, (field, wireType) => {
    if (field !== rawField) return false;
    expectWireType(wireType, WireType.LengthDelimited, 'Raw');
    const raw = reader.bytes();
    if (isLargeJson(raw)) {
      return taken(parseJsonValueSteps(raw), (result) => {
        value = result;
      });
    }
    value = raw.length === 0 ? null : parseJsonValue(raw);
    return true;
  });
  return value;
}
