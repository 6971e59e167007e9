import type { CelType } from '../types/cel-type.js';
import type { Double, Int, Uint } from './number.js';
import type { Work } from './work.js';

/**
 * A value of an expression. null, bool, int, string and bytes are JavaScript's own; the other types have classes.
 *
 * Lists, maps and objects are read through their methods: most are views of the JSON of a request, which nothing
 * copies.
 */
export type Value =
  | null
  | boolean
  | Int
  | Uint
  | Double
  | string
  | Uint8Array
  | Duration
  | Timestamp
  | ListValue
  | MapValue
  | ObjectValue
  | OptionalValue
  | TypeValue
  | OpaqueValue;

/** The result of an evaluation. Errors are values, since `||`, `&&` and macros take them. */
export type Result = Value | EvaluationError;

/** The error of an evaluation, with upstream's message. It has no stack: expressions make and drop many. */
export class EvaluationError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A duration in nanoseconds, in range of int. */
export class Duration {
  readonly nanoseconds: Int;

  constructor(nanoseconds: Int) {
    this.nanoseconds = nanoseconds;
  }
}

/** A moment in UTC, from year 1 to year 9999. */
export class Timestamp {
  /** Seconds since 1970-01-01T00:00:00Z, rounded down. */
  readonly seconds: number;
  /** Nanoseconds of the second: 0 to 999,999,999. */
  readonly nanoseconds: number;
  /** Seconds east of UTC of the zone that it was read in. Only its text shows it. */
  readonly offset: number;

  constructor(seconds: number, nanoseconds: number, offset = 0) {
    this.seconds = seconds;
    this.nanoseconds = nanoseconds;
    this.offset = offset;
  }
}

/** A list. */
export abstract class ListValue {
  /** True if upstream holds it as a list of texts, not of values. */
  get holdsTexts(): boolean {
    return false;
  }
  /** The Go type behind upstream's pointer, which some messages name. */
  get goType(): string {
    return 'types.baseList';
  }
  abstract readonly size: number;
  /** Takes an index in range. */
  abstract at(index: number): Value;
  /** The equality of a list by its schema, where it is not that of all lists. */
  equals?(other: Value, work?: Work): Result;
  /** The sum of a list by its schema and another list, where it is not that of all lists. */
  add?(other: ListValue): ListValue;
  /** The work of `add`, where the cost does not tell. */
  addedWork?(other: ListValue): number;
}

/** A map. Its keys are bool, int, uint or string. */
export abstract class MapValue {
  /** The Go type behind upstream's pointer, which some messages name. */
  get goType(): string {
    return 'types.baseMap';
  }
  /** True if a key that is null stands for a member without a key. */
  get hasHoles(): boolean {
    return false;
  }
  abstract readonly size: number;
  /** The value of a key; undefined if there is none. Keys that are equal numbers are the same. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
  /** The same for a key as `keys` has it, where `find` also takes escaped names. */
  findUnescaped(key: Value): Value | undefined {
    return this.find(key);
  }
  /** The equality of a map by its schema, where it is not that of all maps. */
  equals?(other: Value, work?: Work): Result;
}

/** A value with named fields: an object by its schema, or one that an expression makes. */
export abstract class ObjectValue {
  /** The struct type. */
  abstract readonly type: CelType;
  /** True if the field is set. */
  abstract has(field: string): boolean | EvaluationError;
  /** The value of a field, or that of its type if it is not set; undefined if the type has no such field. */
  abstract find(field: string): Value | undefined;
  /** True for another value of the same type whose fields are equal. */
  abstract equals(other: Value, work?: Work): Result;
}

/** An optional value. */
export class OptionalValue {
  static readonly NONE = new OptionalValue(undefined);
  /** Undefined for none. */
  readonly value: Value | undefined;

  private constructor(value: Value | undefined) {
    this.value = value;
  }

  static of(value: Value): OptionalValue {
    return new OptionalValue(value);
  }
}

/** A type as a value. */
export class TypeValue {
  readonly type: CelType;

  constructor(type: CelType) {
    this.type = type;
  }
}

/** A value that only functions look into: a quantity, an address, an authorizer … */
export abstract class OpaqueValue {
  /** Its type at run time. */
  abstract readonly type: CelType;
  /** The size that costs are counted by. */
  readonly size: number = 1;
  /** True if upstream holds it behind a pointer, which some messages show. */
  get isPointer(): boolean {
    return false;
  }
  /** Its form as the key of a map; undefined if it cannot be a key. Most values equal only themselves as keys. */
  get key(): string | object | undefined {
    return this;
  }
  /** Upstream's error where it takes the value out of an optional that it has read; undefined if it gives the value. */
  get unwrapError(): EvaluationError | undefined {
    return undefined;
  }
  /** Most have no equality with values of another type: that is an error. */
  abstract equals(other: Value, work?: Work): boolean | EvaluationError;
}
