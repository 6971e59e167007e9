import { getOwn } from '@apiserver/apimachinery/json';
import { quote } from '@apiserver/apimachinery/text';
import { treeWork } from '../libraries/tree-cost.js';
import { typeString } from '../types/cel-type.js';
import { TIMESTAMP_OVERFLOW } from '../values/errors.js';
import { ArrayList } from '../values/lists.js';
import { EntryMap } from '../values/maps.js';
import { Double, intOf, isInt, MAX_INT, MIN_INT, Uint } from '../values/number.js';
import { runtimeType } from '../values/runtime-type.js';
import type { StructConstructor } from '../values/struct-constructor.js';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  OptionalValue,
  type Result,
  Timestamp,
  type Value,
} from '../values/value.js';
import { EmptyMessage } from './empty-message.js';
import { type GoType, jsonList, jsonMap, nativeValue } from './native-value.js';

const NANOSECONDS = 1_000_000_000n;
/** Dates of JavaScript end there, in either direction. */
const MAX_TIME_SECONDS = 8_640_000_000_000n;

/** The values of the fields of a message. */
type Fields = ReadonlyMap<string, Value>;

interface Message {
  /** The Go types of the fields; `list` and `map` are filled element by element. */
  readonly fields: Readonly<Record<string, GoType | 'list' | 'map'>>;
  /** Makes the value of the message out of its fields, converted. */
  make(fields: Fields): Result;
}

const MOMENT = { seconds: 'int64', nanos: 'int32' } as const;

const MESSAGES: Readonly<Record<string, Message>> = {
  'google.protobuf.Any': { fields: { type_url: 'string', value: '[]uint8' }, make: unknownAny },
  'google.protobuf.BoolValue': wrapper('bool', false),
  'google.protobuf.BytesValue': wrapper('[]uint8', new Uint8Array()),
  'google.protobuf.DoubleValue': wrapper('float64', new Double(0)),
  'google.protobuf.Duration': { fields: MOMENT, make: durationOf },
  'google.protobuf.Empty': { fields: {}, make: () => new EmptyMessage() },
  'google.protobuf.FloatValue': wrapper('float32', new Double(0)),
  'google.protobuf.Int32Value': wrapper('int32', 0),
  'google.protobuf.Int64Value': wrapper('int64', 0),
  'google.protobuf.ListValue': {
    fields: { values: 'list' },
    make: (fields) => fields.get('values') ?? new ArrayList([]),
  },
  'google.protobuf.StringValue': wrapper('string', ''),
  'google.protobuf.Struct': { fields: { fields: 'map' }, make: (fields) => fields.get('fields') ?? new EntryMap() },
  'google.protobuf.Timestamp': { fields: MOMENT, make: timestampOf },
  'google.protobuf.UInt32Value': wrapper('uint32', new Uint(0)),
  'google.protobuf.UInt64Value': wrapper('uint64', new Uint(0)),
  'google.protobuf.Value': {
    fields: {
      null_value: 'protoreflect.EnumNumber',
      number_value: 'float64',
      string_value: 'string',
      bool_value: 'bool',
      struct_value: '*structpb.Struct',
      list_value: '*structpb.ListValue',
    },
    make: chosenOf,
  },
};

/**
 * Makes the messages of a name. Nothing makes another type that expressions know, as upstream.
 *
 * Upstream: NewValue of Registry in github.com/google/cel-go/common/types/provider.go
 */
export function messageConstructor(name: string): StructConstructor {
  const message = Object.hasOwn(MESSAGES, name) ? MESSAGES[name] : undefined;
  if (message === undefined) return () => new EvaluationError(`unknown type '${name}'`);
  return (fields, work) => {
    const converted = new Map<string, Value>();
    for (const [field, value] of fields) {
      work.spend(treeWork(value));
      const native = fieldValue(value, getOwn(message.fields, field), `${name}.${field}`);
      if (native instanceof EvaluationError) return native;
      converted.set(field, native);
    }
    return message.make(converted);
  };
}

function fieldValue(value: Value, type: GoType | 'list' | 'map' | undefined, field: string): Result {
  if (type === undefined) return new EvaluationError(`no such field: ${field}`);
  const native = repeatedValue(value, type, field);
  if (!(native instanceof EvaluationError) || native.message.startsWith(UNSUPPORTED)) return native;
  return new EvaluationError(`field type conversion error for ${field} value type: ${native.message}`);
}

const UNSUPPORTED = 'unsupported field type for ';

function repeatedValue(value: Value, type: GoType | 'list' | 'map', field: string): Result {
  if (type !== 'list' && type !== 'map') return nativeValue(value, type);
  if (type === 'list' && value instanceof ListValue) return jsonList(value);
  if (type === 'map' && value instanceof MapValue) return jsonMap(value);
  const name = value instanceof OptionalValue ? 'optional_type' : typeString(runtimeType(value));
  return new EvaluationError(`${UNSUPPORTED}${field}: ${name}`);
}

function wrapper(type: GoType, zero: Value): Message {
  return { fields: { value: type }, make: (fields) => fields.get('value') ?? zero };
}

/** The last field that was set is the value. */
function chosenOf(fields: Fields): Result {
  const [name, value] = [...fields].at(-1) ?? [];
  return name === 'null_value' || value === undefined ? null : value;
}

function nanosecondsOf(fields: Fields): { readonly seconds: bigint; readonly nanos: bigint } {
  const part = (name: string) => {
    const value = fields.get(name);
    return isInt(value) ? BigInt(value) : 0n;
  };
  return { seconds: part('seconds'), nanos: part('nanos') };
}

/** Durations out of range become the nearest in range. */
function durationOf(fields: Fields): Result {
  const { seconds, nanos } = nanosecondsOf(fields);
  const whole = seconds * NANOSECONDS;
  const total = whole < MIN_INT || whole > MAX_INT ? whole : whole + nanos;
  return new Duration(intOf(total < MIN_INT ? MIN_INT : total > MAX_INT ? MAX_INT : total));
}

/** Unlike a timestamp of a text, it may be in any year. */
function timestampOf(fields: Fields): Result {
  const { seconds, nanos } = nanosecondsOf(fields);
  const rest = ((nanos % NANOSECONDS) + NANOSECONDS) % NANOSECONDS;
  const whole = seconds + (nanos - rest) / NANOSECONDS;
  if (whole < -MAX_TIME_SECONDS || whole >= MAX_TIME_SECONDS) return TIMESTAMP_OVERFLOW;
  return new Timestamp(Number(whole), Number(rest));
}

/** No message is taken out of an Any. */
function unknownAny(fields: Fields): Result {
  const [url, value] = [fields.get('type_url'), fields.get('value')];
  const parts = [
    ...(typeof url === 'string' && url !== '' ? [`type_url:${quote(url)}`] : []),
    ...(value instanceof Uint8Array && value.length > 0 ? [`value:${quote(Buffer.from(value).toString())}`] : []),
  ];
  return new EvaluationError(`unsupported conversion to ref.Val: (*dynamicpb.Message)${parts.join(' ')}`);
}
