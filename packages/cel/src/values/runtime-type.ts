import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from '../types/cel-type.js';
import { LazyMap } from './lazy-map.js';
import { Double, Uint } from './number.js';
import {
  Duration,
  ListValue,
  MapValue,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  type Value,
} from './value.js';

const LIST = listOf(DYN);
const MAP = mapOf(DYN, DYN);
const OPTIONAL = optionalOf(DYN);

/** The type of a value at run time: that of lists, maps and optionals says nothing about what they hold. */
export function runtimeType(value: Value): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'number':
    case 'bigint':
      return INT;
    case 'string':
      return STRING;
  }
  if (value === null) return NULL;
  if (value instanceof ListValue) return LIST;
  if (value instanceof MapValue) return value instanceof LazyMap ? value.type : MAP;
  if (value instanceof Double) return DOUBLE;
  if (value instanceof Uint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof Duration) return DURATION;
  if (value instanceof Timestamp) return TIMESTAMP;
  if (value instanceof OptionalValue) return OPTIONAL;
  return value instanceof TypeValue ? TYPE : value.type;
}

/** The name of the type of a value at run time. */
export function typeName(value: Value): string {
  return runtimeType(value).name;
}

const GO_NAMES: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  bytes: 'types.Bytes',
  double: 'types.Double',
  int: 'types.Int',
  null_type: 'types.Null',
  string: 'types.String',
  type: '*types.Type',
  uint: 'types.Uint',
  unknown: 'common.unknownPreserved',
  optional_type: '*types.Optional',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Empty': '*types.protoObj',
  'google.protobuf.Timestamp': 'types.Timestamp',
  'kubernetes.NamedFormat': 'cel.Format',
  'kubernetes.Quantity': 'cel.Quantity',
  'kubernetes.Semver': 'cel.Semver',
  'kubernetes.URL': 'cel.URL',
  'net.CIDR': 'cel.CIDR',
  'net.IP': 'cel.IP',
};

/** The Go type of a value, which some messages name. */
export function goTypeName(value: Value): string {
  if (value instanceof ListValue || value instanceof MapValue) return `*${value.goType}`;
  const name = typeName(value);
  const goName = GO_NAMES[name] ?? name;
  return value instanceof OpaqueValue && value.isPointer ? `*${goName}` : goName;
}
