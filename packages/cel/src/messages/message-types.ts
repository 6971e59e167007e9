import {
  ANY,
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  nullableOf,
  STRING,
  structOf,
  TIMESTAMP,
  type TypeKind,
  UINT,
} from '../types/cel-type.js';

/** A message of protobuf that expressions can make. */
export interface MessageType {
  /** The type of what is made. */
  readonly type: CelType;
  readonly fields: Readonly<Record<string, CelType>>;
}

const LIST = listOf(DYN);
const MAP = mapOf(STRING, DYN);
const MOMENT = { seconds: INT, nanos: INT };

/** Upstream: checkedWellKnowns in github.com/google/cel-go/common/types/types.go, and the fields of the messages */
const MESSAGES: ReadonlyMap<string, MessageType> = new Map([
  ['google.protobuf.Any', { type: ANY, fields: { type_url: STRING, value: BYTES } }],
  ['google.protobuf.BoolValue', wrapperOf(BOOL)],
  ['google.protobuf.BytesValue', wrapperOf(BYTES)],
  ['google.protobuf.DoubleValue', wrapperOf(DOUBLE)],
  ['google.protobuf.Duration', { type: DURATION, fields: MOMENT }],
  ['google.protobuf.Empty', { type: structOf('google.protobuf.Empty'), fields: {} }],
  ['google.protobuf.FloatValue', wrapperOf(DOUBLE)],
  ['google.protobuf.Int32Value', wrapperOf(INT)],
  ['google.protobuf.Int64Value', wrapperOf(INT)],
  ['google.protobuf.ListValue', { type: LIST, fields: { values: LIST } }],
  ['google.protobuf.StringValue', wrapperOf(STRING)],
  ['google.protobuf.Struct', { type: MAP, fields: { fields: MAP } }],
  ['google.protobuf.Timestamp', { type: TIMESTAMP, fields: MOMENT }],
  ['google.protobuf.UInt32Value', wrapperOf(UINT)],
  ['google.protobuf.UInt64Value', wrapperOf(UINT)],
  [
    'google.protobuf.Value',
    {
      type: DYN,
      fields: {
        null_value: INT,
        number_value: DOUBLE,
        string_value: STRING,
        bool_value: BOOL,
        struct_value: MAP,
        list_value: LIST,
      },
    },
  ],
]);

/** The only enumeration, which has one value: 0. */
export const NULL_VALUE = 'google.protobuf.NullValue.NULL_VALUE';

/** Its messages are those of a kind of type, whatever the name by which an expression makes one. */
const MESSAGE_OF_KIND: Readonly<Partial<Record<TypeKind, string>>> = {
  any: 'google.protobuf.Any',
  bool: 'google.protobuf.BoolValue',
  bytes: 'google.protobuf.BytesValue',
  double: 'google.protobuf.DoubleValue',
  duration: 'google.protobuf.Duration',
  dyn: 'google.protobuf.Value',
  int: 'google.protobuf.Int64Value',
  list: 'google.protobuf.ListValue',
  map: 'google.protobuf.Struct',
  null: 'google.protobuf.NullValue',
  string: 'google.protobuf.StringValue',
  timestamp: 'google.protobuf.Timestamp',
  uint: 'google.protobuf.UInt64Value',
};

/** The message of a name; undefined if there is none. */
export function findMessage(name: string): MessageType | undefined {
  return MESSAGES.get(name);
}

/**
 * The message whose fields a literal of a type has; undefined if the type is that of no message.
 *
 * Upstream: isWellKnownType in github.com/google/cel-go/checker/checker.go
 */
export function messageOfType(type: CelType): string | undefined {
  const { kind, parameters } = type;
  const [first, second] = parameters;
  switch (kind) {
    case 'list':
      if (first !== DYN) return undefined;
      break;
    case 'map':
      if (first !== STRING || second !== DYN) return undefined;
      break;
    case 'any':
    case 'duration':
    case 'dyn':
    case 'null':
    case 'timestamp':
      break;
    default:
      if (type.nullable !== true) return undefined;
  }
  return MESSAGE_OF_KIND[kind];
}

function wrapperOf(type: CelType): MessageType {
  return { type: nullableOf(type), fields: { value: type } };
}
