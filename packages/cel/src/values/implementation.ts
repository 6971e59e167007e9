import type { PatternBudget } from '@apiserver/apimachinery/patterns';
import type { Double, Int, Uint } from './number.js';
import type {
  Duration,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  Result,
  Timestamp,
  TypeValue,
  Value,
} from './value.js';

/**
 * The values of each kind. `any` is the kind of a type parameter and of dyn. `list(int)` is an empty list, or one whose
 * first element is an int: upstream looks at no other element.
 */
interface ValuesByKind {
  any: Value;
  bool: boolean;
  bytes: Uint8Array;
  double: Double;
  duration: Duration;
  int: Int;
  list: ListValue;
  'list(bool)': ListValue;
  'list(bytes)': ListValue;
  'list(double)': ListValue;
  'list(duration)': ListValue;
  'list(int)': ListValue;
  'list(list)': ListValue;
  'list(string)': ListValue;
  'list(timestamp)': ListValue;
  'list(uint)': ListValue;
  map: MapValue;
  null: null;
  object: ObjectValue;
  optional: OptionalValue;
  string: string;
  timestamp: Timestamp;
  type: TypeValue;
  uint: Uint;
}

/** The kinds of operands, by the names that implementations use. */
export type ValueKind = keyof ValuesByKind;

/** A class of opaque values. */
type OpaqueClass<V extends OpaqueValue = OpaqueValue> = abstract new (...args: never[]) => V;

/** The demand on an argument: a kind, or a class of opaque values. */
export type ParameterKind = ValueKind | OpaqueClass;

type Arguments<Kinds extends readonly ParameterKind[]> = {
  -readonly [Index in keyof Kinds]: Kinds[Index] extends ValueKind
    ? ValuesByKind[Kinds[Index]]
    : Kinds[Index] extends OpaqueClass<infer V>
      ? V
      : never;
};

/**
 * The cost of a call at run time, besides that of its arguments. An argument may be an error: the call costs all the
 * same.
 */
export type CallCost = (args: readonly Result[], result: Result) => number;

/** Work of a call that its cost leaves out, in units of about 10 ns. */
export type CallWork = number | ((args: readonly Value[]) => number);

/**
 * One overload at run time. The program calls `run` with arguments of the kinds only. Where the checker leaves several
 * overloads, it takes the first one whose kinds fit.
 */
export interface Implementation {
  readonly parameters: readonly ParameterKind[];
  run(...args: Value[]): Result;
  /** Instead of `run`, for a search of the second argument in the first. All searches of an evaluation share a budget. */
  readonly search?: Search;
  /** Undefined: a call costs 1. */
  readonly cost: CallCost | undefined;
  readonly work: CallWork;
}

/** A search for a pattern. */
export type Search = (budget: PatternBudget, text: Value, pattern: Value, ...rest: Value[]) => Result;

/** Implementations by the id of their overload. */
export type Implementations = Readonly<Record<string, Implementation>>;

/** Work of a call of a short text or a number. */
const USUAL_WORK = 20;

/** Makes an implementation out of a function whose arguments have the types of its kinds. */
export function implement<const Kinds extends readonly ParameterKind[]>(
  parameters: Kinds,
  run: (...args: Arguments<Kinds>) => Result,
  cost?: CallCost,
  work: CallWork = USUAL_WORK,
): Implementation {
  return { parameters, run, cost, work };
}
