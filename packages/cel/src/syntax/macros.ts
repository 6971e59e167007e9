import { ACCUMULATOR, type Expression } from '../ast/expression.js';
import { Operator } from '../ast/operators.js';
import type { Fold, MacroBuilder } from './expression-builder.js';

/**
 * A call of a macro whose arguments do not fit; `at` is the id of the argument. It has no stack: a source can have
 * thousands.
 */
export class MacroError {
  readonly at: number;
  readonly message: string;

  constructor(at: number, message: string) {
    this.at = at;
    this.message = message;
  }
}

/** Expands a call; undefined if the call is not one of the macro. Throws a MacroError. */
type Expand = (builder: MacroBuilder, target: Expression, args: readonly Expression[]) => Expression | undefined;

/** The macros of an environment, by macroKey. */
export type Macros = ReadonlyMap<string, Expand>;

/** The key of a macro: its name, its number of arguments, and its form. A method has a receiver before its name. */
export function macroKey(name: string, args: number, form: 'function' | 'method'): string {
  return `${name}:${args}:${form}`;
}

/** Name of the accumulator in older releases of the language; no iteration variable may take it. */
const OLD_ACCUMULATOR = '__result__';

/** The macros of the language. Upstream: github.com/google/cel-go/parser/macro.go */
export const STANDARD_MACROS: Macros = new Map<string, Expand>([
  [macroKey('has', 1, 'function'), expandHas],
  [macroKey('all', 2, 'method'), (builder, target, args) => quantifier(builder, target, args, all)],
  [macroKey('exists', 2, 'method'), (builder, target, args) => quantifier(builder, target, args, exists)],
  [macroKey('exists_one', 2, 'method'), (builder, target, args) => quantifier(builder, target, args, existsOne)],
  [macroKey('map', 2, 'method'), expandMap],
  [macroKey('map', 3, 'method'), expandMap],
  [macroKey('filter', 2, 'method'), expandFilter],
]);

/** `optMap` and `optFlatMap`. Upstream: OptionalTypes in github.com/google/cel-go/cel/library.go */
export const OPTIONAL_MACROS: Macros = new Map<string, Expand>([
  [macroKey('optMap', 2, 'method'), (builder, target, args) => expandOptMap(builder, target, args, 'optMap')],
  [macroKey('optFlatMap', 2, 'method'), (builder, target, args) => expandOptMap(builder, target, args, 'optFlatMap')],
]);

/** `sortBy`. Upstream: github.com/google/cel-go/ext/lists.go */
export const LIST_MACROS: Macros = new Map<string, Expand>([[macroKey('sortBy', 2, 'method'), expandSortBy]]);

/** Macros over index and element, or key and value. Upstream: github.com/google/cel-go/ext/comprehensions.go */
export const TWO_VARIABLE_MACROS: Macros = new Map<string, Expand>([
  [macroKey('all', 3, 'method'), (builder, target, args) => quantifier(builder, target, args, all)],
  [macroKey('exists', 3, 'method'), (builder, target, args) => quantifier(builder, target, args, exists)],
  [macroKey('exists_one', 3, 'method'), (builder, target, args) => quantifier(builder, target, args, existsOne)],
  [macroKey('existsOne', 3, 'method'), (builder, target, args) => quantifier(builder, target, args, existsOne)],
  [macroKey('transformList', 3, 'method'), expandTransformList],
  [macroKey('transformList', 4, 'method'), expandTransformList],
  [macroKey('transformMap', 3, 'method'), expandTransformMap],
  [macroKey('transformMap', 4, 'method'), expandTransformMap],
  [macroKey('transformMapEntry', 3, 'method'), expandTransformMapEntry],
  [macroKey('transformMapEntry', 4, 'method'), expandTransformMapEntry],
]);

/** `cel.bind`. Upstream: github.com/google/cel-go/ext/bindings.go */
export const BINDING_MACROS: Macros = new Map<string, Expand>([[macroKey('bind', 3, 'method'), expandBind]]);

/** The variables of a macro, and the arguments behind them. */
interface MacroCall {
  readonly variable: string;
  readonly secondVariable: string | undefined;
  readonly rest: readonly Expression[];
}

/** The step of a fold and what else depends on the macro. */
type FoldParts = Pick<Fold, 'initial' | 'condition' | 'step' | 'result'>;

function expandHas(builder: MacroBuilder, _target: Expression, args: readonly Expression[]): Expression {
  const argument = argumentAt(args, 0);
  if (argument.kind !== 'select') throw new MacroError(argument.id, 'invalid argument to has() macro');
  return builder.presenceTest(argument);
}

function quantifier(
  builder: MacroBuilder,
  target: Expression,
  args: readonly Expression[],
  parts: (builder: MacroBuilder, predicate: Expression) => FoldParts,
): Expression {
  const call = args.length === 2 ? oneVariable(args, 'argument must be a simple name') : twoVariables(args);
  return fold(builder, target, call, parts(builder, argumentAt(call.rest, 0)));
}

function all(builder: MacroBuilder, predicate: Expression): FoldParts {
  return {
    initial: builder.literal(true),
    condition: builder.call(Operator.NotStrictlyFalse, accumulator(builder)),
    step: builder.call(Operator.LogicalAnd, accumulator(builder), predicate),
    result: accumulator(builder),
  };
}

function exists(builder: MacroBuilder, predicate: Expression): FoldParts {
  return {
    initial: builder.literal(false),
    condition: builder.call(Operator.NotStrictlyFalse, builder.call(Operator.LogicalNot, accumulator(builder))),
    step: builder.call(Operator.LogicalOr, accumulator(builder), predicate),
    result: accumulator(builder),
  };
}

function existsOne(builder: MacroBuilder, predicate: Expression): FoldParts {
  const counted = builder.call(Operator.Add, accumulator(builder), builder.literal(1));
  return {
    initial: builder.literal(0),
    condition: builder.literal(true),
    step: builder.call(Operator.Conditional, predicate, counted, accumulator(builder)),
    result: builder.call(Operator.Equals, accumulator(builder), builder.literal(1)),
  };
}

function expandMap(builder: MacroBuilder, target: Expression, args: readonly Expression[]): Expression {
  const call = oneVariable(args, 'argument is not an identifier');
  const [filter, transform] = filterAndTransform(call.rest);
  return fold(builder, target, call, collecting(builder, transform, filter));
}

function expandFilter(builder: MacroBuilder, target: Expression, args: readonly Expression[]): Expression {
  const call = oneVariable(args, 'argument is not an identifier');
  return fold(builder, target, call, collecting(builder, argumentAt(args, 0), argumentAt(args, 1)));
}

function expandTransformList(builder: MacroBuilder, target: Expression, args: readonly Expression[]): Expression {
  const call = twoVariables(args);
  const [filter, transform] = filterAndTransform(call.rest);
  return fold(builder, target, call, collecting(builder, transform, filter));
}

function expandBind(builder: MacroBuilder, target: Expression, args: readonly Expression[]): Expression | undefined {
  if (target.kind !== 'identifier' || target.name !== 'cel') return undefined;
  const variable = variableName(argumentAt(args, 0), 'cel.bind() variable names must be simple identifiers');
  return builder.bind(variable, argumentAt(args, 1), argumentAt(args, 2));
}

/** The kinds of expressions that `sortBy` takes. */
const SORTABLE: ReadonlySet<Expression['kind']> = new Set(['list', 'select', 'identifier', 'comprehension', 'call']);

function expandSortBy(builder: MacroBuilder, target: Expression, args: readonly Expression[]): Expression {
  if (!SORTABLE.has(target.kind)) {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    throw new MacroError(target.id, message);
  }
  const input = '@__sortBy_input__';
  const keys = expandMap(builder, builder.identifier(input), args);
  const sorted = builder.memberCall('@sortByAssociatedKeys', builder.identifier(input), keys);
  return builder.bind(input, target, sorted);
}

/** Adds what `transform` yields to a list, for each turn that `filter` lets through. */
function collecting(builder: MacroBuilder, transform: Expression, filter: Expression | undefined): FoldParts {
  const added = builder.call(Operator.Add, accumulator(builder), builder.list(transform));
  return {
    initial: builder.list(),
    condition: builder.literal(true),
    step: filtered(builder, added, filter),
    result: accumulator(builder),
  };
}

function expandTransformMap(builder: MacroBuilder, target: Expression, args: readonly Expression[]): Expression {
  const call = twoVariables(args);
  const [filter, transform] = filterAndTransform(call.rest);
  const key = builder.identifier(call.variable);
  const inserted = builder.call('cel.@mapInsert', accumulator(builder), key, transform);
  return fold(builder, target, call, inserting(builder, inserted, filter));
}

function expandTransformMapEntry(builder: MacroBuilder, target: Expression, args: readonly Expression[]): Expression {
  const call = twoVariables(args);
  const [filter, transform] = filterAndTransform(call.rest);
  const inserted = builder.call('cel.@mapInsert', accumulator(builder), transform);
  return fold(builder, target, call, inserting(builder, inserted, filter));
}

function inserting(builder: MacroBuilder, inserted: Expression, filter: Expression | undefined): FoldParts {
  return {
    initial: builder.map(),
    condition: builder.literal(true),
    step: filtered(builder, inserted, filter),
    result: accumulator(builder),
  };
}

function filtered(builder: MacroBuilder, step: Expression, filter: Expression | undefined): Expression {
  return filter === undefined ? step : builder.call(Operator.Conditional, filter, step, accumulator(builder));
}

function fold(builder: MacroBuilder, range: Expression, call: MacroCall, parts: FoldParts): Expression {
  const { variable, secondVariable } = call;
  return builder.fold({ range, variable, secondVariable, accumulator: ACCUMULATOR, ...parts });
}

function expandOptMap(
  builder: MacroBuilder,
  target: Expression,
  args: readonly Expression[],
  macro: 'optMap' | 'optFlatMap',
): Expression {
  const variable = argumentAt(args, 0);
  if (variable.kind !== 'identifier') {
    throw new MacroError(variable.id, `${macro}() variable name must be a simple identifier`);
  }
  const value = builder.memberCall('value', builder.copy(target));
  const bound = builder.bind(variable.name, value, argumentAt(args, 1));
  const present = macro === 'optMap' ? builder.call('optional.of', bound) : bound;
  return builder.call(
    Operator.Conditional,
    builder.memberCall('hasValue', target),
    present,
    builder.call('optional.none'),
  );
}

function accumulator(builder: MacroBuilder): Expression {
  return builder.identifier(ACCUMULATOR);
}

/** The last argument transforms; one before it filters. */
function filterAndTransform(rest: readonly Expression[]): readonly [Expression | undefined, Expression] {
  return rest.length === 2 ? [argumentAt(rest, 0), argumentAt(rest, 1)] : [undefined, argumentAt(rest, 0)];
}

function oneVariable(args: readonly Expression[], message: string): MacroCall {
  const variable = variableName(argumentAt(args, 0), message);
  refuseAccumulator(variable, argumentAt(args, 0));
  return { variable, secondVariable: undefined, rest: args.slice(1) };
}

function twoVariables(args: readonly Expression[]): MacroCall {
  const [first, second] = [argumentAt(args, 0), argumentAt(args, 1)];
  const variable = variableName(first, 'argument must be a simple name');
  const secondVariable = variableName(second, 'argument must be a simple name');
  if (variable === secondVariable) throw new MacroError(second.id, `duplicate variable name: ${variable}`);
  refuseAccumulator(variable, first);
  refuseAccumulator(secondVariable, second);
  return { variable, secondVariable, rest: args.slice(2) };
}

function variableName(argument: Expression, message: string): string {
  if (argument.kind !== 'identifier') throw new MacroError(argument.id, message);
  return argument.name;
}

function refuseAccumulator(variable: string, argument: Expression): void {
  if (variable === ACCUMULATOR || variable === OLD_ACCUMULATOR) {
    throw new MacroError(argument.id, 'iteration variable overwrites accumulator variable');
  }
}

function argumentAt(args: readonly Expression[], index: number): Expression {
  const argument = args[index];
  if (argument === undefined) throw new TypeError('a macro was called with too few arguments');
  return argument;
}
