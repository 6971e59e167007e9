import { FUNCTION_COSTS } from '../libraries/kubernetes-implementations.js';
import type { CallCost, Implementation, ParameterKind, Search, ValueKind } from '../values/implementation.js';
import { Double, Uint } from '../values/number.js';
import { typeName } from '../values/runtime-type.js';
import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  ObjectValue,
  OptionalValue,
  type Result,
  Timestamp,
  TypeValue,
  type Value,
} from '../values/value.js';
import { workOfLength } from '../values/work.js';
import type { OverloadCost } from './call-cost.js';
import type { Frame, Step } from './frame.js';

/** Work of making an element of a list. */
const WORK_OF_ELEMENT = 2;

/** A call of a function whose overloads the checker has found. */
export interface FunctionCall {
  readonly name: string;
  readonly args: readonly Step[];
  readonly overloads: readonly Implementation[];
  /** The cost of an overload of the language, if the checker has left that only. */
  readonly cost: OverloadCost | undefined;
  /** True for calls that end at the first argument that is an error. */
  readonly sequential: boolean;
  /** True for a search whose pattern is compiled with the program. */
  readonly hasConstantPattern: boolean;
  /** The error of arguments that fit no overload. */
  readonly misfit: (args: readonly Value[]) => EvaluationError;
}

/** The error that names the types of the arguments. */
export function typesMisfit(name: string): FunctionCall['misfit'] {
  return (args) => new EvaluationError(`no such overload: ${name}(${args.map(typeName).join(', ')})`);
}

/** Compiles a call. */
export function callStep(call: FunctionCall): Step {
  const [first, second] = call.args;
  if (first === undefined || call.args.length > 2 || call.sequential) return manyArgumentsStep(call);
  return second === undefined ? oneArgumentStep(call, first) : twoArgumentsStep(call, first, second);
}

/** Calls of one and two arguments cost even where an argument is an error. */
function oneArgumentStep(call: FunctionCall, argument: Step): Step {
  const { cost } = call;
  const own = libraryCostOf(call);
  return (frame) => {
    const value = argument(frame);
    const result = value instanceof EvaluationError ? value : dispatch(call, [value], frame);
    frame.charge(cost?.(value, value) ?? libraryCost(own, [value], result));
    return result;
  };
}

function twoArgumentsStep(call: FunctionCall, first: Step, second: Step): Step {
  const { cost } = call;
  const own = libraryCostOf(call);
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    const result = callBoth(call, a, b, frame);
    frame.charge(cost?.(a, b) ?? libraryCost(own, [a, b], result));
    return result;
  };
}

function callBoth(call: FunctionCall, a: Result, b: Result, frame: Frame): Result {
  if (a instanceof EvaluationError) return a;
  return b instanceof EvaluationError ? b : dispatch(call, [a, b], frame);
}

/** Other calls end at the first error. They cost nothing then, unless it is in the last argument. */
function manyArgumentsStep(call: FunctionCall): Step {
  const { args, cost } = call;
  const own = libraryCostOf(call);
  return (frame) => {
    const values: Value[] = [];
    let error: EvaluationError | undefined;
    for (const argument of args) {
      const value = argument(frame);
      if (value instanceof EvaluationError) {
        error = value;
        break;
      }
      values.push(value);
    }
    if (error !== undefined && values.length < args.length - 1) return error;
    const result = error ?? dispatch(call, values, frame);
    const known: readonly Result[] = error === undefined ? values : [...values, error];
    const [a = null, b = null] = known;
    frame.charge(cost?.(a, b) ?? libraryCost(own, known, result));
    return result;
  };
}

/** Where the checker leaves several overloads, the name of the function tells the cost. */
function libraryCostOf({ name, overloads }: FunctionCall): CallCost | undefined {
  return overloads.length === 1 ? overloads[0]?.cost : FUNCTION_COSTS[name];
}

function libraryCost(cost: CallCost | undefined, args: readonly Result[], result: Result): number {
  return cost === undefined ? 1 : cost(args, result);
}

function dispatch(call: FunctionCall, args: Value[], frame: Frame): Result {
  for (const overload of call.overloads) {
    if (overload.parameters.length === args.length && overload.parameters.every((kind, at) => fits(args[at], kind))) {
      frame.spend(workOf(overload, args));
      const result = overload.search === undefined ? overload.run(...args) : search(call, overload.search, args, frame);
      // A result may be much larger than the cost of making it tells.
      if (typeof result === 'string') frame.spend(result.length);
      else if (result instanceof ListValue) frame.spend(result.size * WORK_OF_ELEMENT);
      return result;
    }
  }
  return call.misfit(args);
}

function search({ hasConstantPattern }: FunctionCall, run: Search, args: Value[], frame: Frame): Result {
  const [text = null, pattern = null, ...rest] = args;
  if (!hasConstantPattern && typeof pattern === 'string') frame.spendOnPattern(pattern);
  return run(frame.patternBudget, text, pattern, ...rest);
}

/** The work of passing long arguments, since calls of several overloads cost 1. */
function workOf({ work: own }: Implementation, args: readonly Value[]): number {
  let work = typeof own === 'number' ? own : own(args);
  for (const value of args) {
    if (typeof value === 'string' || value instanceof Uint8Array) work += workOfLength(value.length);
  }
  return work;
}

function fits(value: Value | undefined, kind: ParameterKind): boolean {
  if (value === undefined) return false;
  if (typeof kind !== 'string') return value instanceof kind;
  return TESTS[kind](value);
}

/** Reports whether a value is of a kind. */
const TESTS: Readonly<Record<ValueKind, (value: Value) => boolean>> = {
  any: () => true,
  bool: (value) => typeof value === 'boolean',
  bytes: (value) => value instanceof Uint8Array,
  double: (value) => value instanceof Double,
  duration: (value) => value instanceof Duration,
  int: (value) => typeof value === 'number' || typeof value === 'bigint',
  list: (value) => value instanceof ListValue,
  'list(bool)': listOf('bool'),
  'list(bytes)': listOf('bytes'),
  'list(double)': listOf('double'),
  'list(duration)': listOf('duration'),
  'list(int)': listOf('int'),
  'list(list)': listOf('list'),
  'list(string)': listOf('string'),
  'list(timestamp)': listOf('timestamp'),
  'list(uint)': listOf('uint'),
  map: (value) => value instanceof MapValue,
  null: (value) => value === null,
  object: (value) => value instanceof ObjectValue,
  optional: (value) => value instanceof OptionalValue,
  string: (value) => typeof value === 'string',
  timestamp: (value) => value instanceof Timestamp,
  type: (value) => value instanceof TypeValue,
  uint: (value) => value instanceof Uint,
};

/** Upstream looks at the first element only. */
function listOf(kind: ValueKind): (value: Value) => boolean {
  return (value) => value instanceof ListValue && (value.size === 0 || TESTS[kind](value.at(0)));
}
