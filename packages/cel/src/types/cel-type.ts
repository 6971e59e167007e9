/**
 * The kinds of types. `parameter` is a type that a function leaves open; `opaque` one that only functions look into.
 */
export type TypeKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'parameter'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A type of the language. */
export interface CelType {
  readonly kind: TypeKind;
  /** The name at run time, which `type(x)` prints. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** True for a wrapper of the type, which also takes null. Otherwise both are the same. */
  readonly nullable?: boolean;
}

const NO_PARAMETERS: readonly CelType[] = [];

function simple(kind: TypeKind, name: string): CelType {
  return { kind, name, parameters: NO_PARAMETERS };
}

/** The types without parameters. */
export const ANY = simple('any', 'google.protobuf.Any');
export const BOOL = simple('bool', 'bool');
export const BYTES = simple('bytes', 'bytes');
export const DOUBLE = simple('double', 'double');
export const DURATION = simple('duration', 'google.protobuf.Duration');
export const DYN = simple('dyn', 'dyn');
/** The type of values that are kept without a schema. */
export const PRESERVED = simple('opaque', 'unknown');
export const ERROR = simple('error', 'error');
export const INT = simple('int', 'int');
export const NULL = simple('null', 'null_type');
export const STRING = simple('string', 'string');
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp');
/** The type of types. */
export const TYPE = simple('type', 'type');
export const UINT = simple('uint', 'uint');

/** The type of a wrapper, such as `google.protobuf.Int64Value`. */
export function nullableOf({ kind, name }: CelType): CelType {
  return { ...simple(kind, name), nullable: true };
}

/** The type of lists. */
export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', parameters: [element] };
}

/** The type of maps. */
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', parameters: [key, value] };
}

/** The type of optional values. */
export function optionalOf(value: CelType): CelType {
  return opaque(OPTIONAL, value);
}

/** A type with fields, by its name. */
export function structOf(name: string): CelType {
  return simple('struct', name);
}

/** The type of a type. */
export function typeOf(type: CelType): CelType {
  return { kind: 'type', name: 'type', parameters: [type] };
}

export function opaque(name: string, ...parameters: CelType[]): CelType {
  return { kind: 'opaque', name, parameters };
}

export function parameter(name: string): CelType {
  return simple('parameter', name);
}

const OPTIONAL = 'optional_type';

/** The type that an optional type may hold; undefined for any other type. */
export function heldByOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === OPTIONAL ? type.parameters[0] : undefined;
}

/** True for types that fit every other. */
export function isDynamic(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'any';
}

/** Reports whether two types are the same, with their parameters. */
export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((one, index) => {
    const other = b.parameters[index];
    return other !== undefined && isSameType(one, other);
  });
}

/** Names in the messages of the checker, where they are not the names at run time. */
const SHORT_NAMES: Partial<Record<TypeKind, string>> = {
  any: 'any',
  duration: 'duration',
  error: '!error!',
  null: 'null',
  timestamp: 'timestamp',
};

/** A type as messages of the checker print it. Upstream: FormatCELType in github.com/google/cel-go/checker/format.go */
export function formatType(type: CelType): string {
  return SHORT_NAMES[type.kind] ?? withParameters(type, formatType);
}

/**
 * A type as `String` prints it in Go: that of a compiled expression.
 * Upstream: github.com/google/cel-go/common/types/types.go
 */
export function typeString(type: CelType): string {
  return withParameters(type, typeString);
}

function withParameters({ name, parameters, nullable }: CelType, format: (type: CelType) => string): string {
  if (nullable === true) return `wrapper(${name})`;
  return parameters.length === 0 ? name : `${name}(${parameters.map(format).join(', ')})`;
}
