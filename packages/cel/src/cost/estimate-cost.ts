import type { Call, Comprehension, Expression, ListLiteral, MapLiteral, Select } from '../ast/expression.js';
import { ACCUMULATOR } from '../ast/expression.js';
import type { CheckedExpression } from '../check/check-expression.js';
import { type CelType, DYN, heldByOptional } from '../types/cel-type.js';
import { MAX_AMOUNT } from './amount.js';
import { type CallEstimate, type CostedCall, type CostedNode, knownSize } from './costed-call.js';
import type { SizeEstimator } from './decl-type-sizes.js';
import {
  type Estimate,
  fixed,
  LIST_CREATION,
  MAP_CREATION,
  ONE,
  plus,
  STRUCT_CREATION,
  times,
  UNKNOWN,
  union,
  ZERO,
} from './estimate.js';
import { estimateKubernetesCall } from './kubernetes-calls.js';
import { estimateLibraryCall } from './library-calls.js';
import { INDICES, ITEMS, KEYS, Path, VALUES } from './path.js';
import { estimateStandardCall } from './standard-calls.js';

/**
 * Estimates the cost of evaluating an expression, in units of upstream: the least and the most of any values.
 *
 * Upstream: github.com/google/cel-go/checker/cost.go
 */
export function estimateCost(checked: CheckedExpression, sizes: SizeEstimator): Estimate {
  return new CostEstimator(checked, sizes).cost(checked.root);
}

/** The sizes of the keys (or indices) and the values in a list or a map. */
interface EntrySizes {
  readonly container: 'list' | 'map';
  readonly key: Estimate;
  readonly value: Estimate;
}

/** A variable of a comprehension. */
interface LocalVariable {
  readonly path: Path | undefined;
  readonly size: Estimate | undefined;
  readonly entries: EntrySizes | undefined;
}

class CostEstimator {
  readonly #checked: CheckedExpression;
  readonly #sizes: SizeEstimator;
  readonly #paths = new Map<number, Path | undefined>();
  readonly #computedSizes = new Map<number, Estimate>();
  readonly #entrySizes = new Map<number, EntrySizes>();
  readonly #variables = new Map<string, LocalVariable[]>();

  constructor(checked: CheckedExpression, sizes: SizeEstimator) {
    this.#checked = checked;
    this.#sizes = sizes;
  }

  cost(expression: Expression): Estimate {
    const name = this.#variableName(expression);
    if (name !== undefined) return this.#identifier(expression.id, name);
    switch (expression.kind) {
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return this.#map(expression);
      case 'struct':
        return expression.fields.reduce((sum, { value }) => plus(sum, this.cost(value)), fixed(STRUCT_CREATION));
      case 'comprehension':
        return isBinding(expression) ? this.#binding(expression) : this.#comprehension(expression);
      default:
        return ZERO;
    }
  }

  /** The name of a variable; undefined for any other expression. A selection can spell a variable's name, too. */
  #variableName(expression: Expression): string | undefined {
    if (expression.kind !== 'identifier' && expression.kind !== 'select') return undefined;
    const reference = this.#checked.references.get(expression.id);
    if (reference?.kind === 'identifier') return reference.name;
    return expression.kind === 'identifier' ? expression.name : undefined;
  }

  #typeOf(expression: Expression): CelType {
    return this.#checked.types.get(expression.id) ?? DYN;
  }

  #identifier(id: number, name: string): Estimate {
    const variable = this.#variable(name);
    this.#paths.set(id, variable === undefined ? Path.of(name) : variable.path);
    return ONE;
  }

  #select(select: Select): Estimate {
    const cost = this.cost(select.operand);
    if (select.test) return cost;
    const { kind } = this.#typeOf(select.operand);
    this.#paths.set(select.id, Path.extend(this.#pathOf(select.operand), select.field));
    return kind === 'map' || kind === 'struct' || kind === 'parameter' ? plus(cost, ONE) : cost;
  }

  #call(call: Call): Estimate {
    const [first] = call.args;
    const reference = this.#checked.references.get(call.id);
    if (reference?.name === 'dyn' && first !== undefined) {
      const cost = this.cost(first);
      this.#copySizes(call, first);
      return plus(ONE, cost);
    }
    const costs: Estimate[] = [];
    const args: CostedNode[] = [];
    for (const argument of call.args) {
      costs.push(this.cost(argument));
      args.push(this.#nodeOf(argument));
    }
    if (reference?.kind !== 'function' || reference.overloads.length === 0) return ZERO;
    const receiver = reference.namespaced ? undefined : call.target;
    const targetCost = receiver === undefined ? ZERO : this.cost(receiver);
    const target = receiver && this.#nodeOf(receiver);
    let cost: Estimate = { min: MAX_AMOUNT, max: 0 };
    let size: Estimate | undefined;
    for (const overload of reference.overloads) {
      const costed = { name: reference.name, overload, target, args, sizeOf: (node: CostedNode) => this.#sizeOf(node) };
      const estimate = this.#overload(call, costed, costs);
      cost = union(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
      if (first !== undefined && (overload === 'index_list' || overload === 'index_map')) {
        size = this.#entriesOf(first)?.value;
        this.#paths.set(call.id, Path.extend(this.#pathOf(first), overload === 'index_list' ? ITEMS : VALUES));
      }
      size ??= this.#computeSize(call);
    }
    if (size !== undefined) this.#computedSizes.set(call.id, size);
    return plus(targetCost, cost);
  }

  /** The cost of one overload with that of the arguments. */
  #overload(call: Call, costed: CostedCall, costs: readonly Estimate[]): CallEstimate {
    const library = estimateLibraryCall(costed) ?? estimateKubernetesCall(costed);
    if (library !== undefined) return withArguments(library, costs);
    const [first = ZERO, second = ZERO, third = ZERO] = costs;
    switch (costed.overload) {
      case 'logical_or':
      case 'logical_and':
        return { cost: { min: first.min, max: plus(first, second).max } };
      case 'conditional': {
        const [, yes, no] = costed.args;
        this.#setEntries(call, unionOfEntries(this.#entriesOf(call.args[1]), this.#entriesOf(call.args[2])));
        return { cost: plus(first, union(second, third)), size: union(knownSize(yes), knownSize(no)) };
      }
      case 'add_list':
      case 'add_string':
      case 'add_bytes':
        this.#setEntries(call, unionOfEntries(this.#entriesOf(call.args[0]), this.#entriesOf(call.args[1])));
    }
    return withArguments(estimateStandardCall(costed) ?? { cost: ONE }, costs);
  }

  #list(list: ListLiteral): Estimate {
    let sum = ZERO;
    let value: Estimate = list.elements.length === 0 ? ZERO : NOTHING;
    for (const element of list.elements) {
      sum = plus(sum, this.cost(element));
      value = union(value, this.#computeSize(element) ?? UNKNOWN);
    }
    this.#entrySizes.set(list.id, { container: 'list', key: ONE, value });
    return plus(sum, fixed(LIST_CREATION));
  }

  #map(map: MapLiteral): Estimate {
    let sum = ZERO;
    let key: Estimate = map.entries.length === 0 ? ZERO : NOTHING;
    let value = key;
    for (const entry of map.entries) {
      sum = plus(sum, this.cost(entry.key));
      sum = plus(sum, this.cost(entry.value));
      key = union(key, this.#computeSize(entry.key) ?? UNKNOWN);
      value = union(value, this.#computeSize(entry.value) ?? UNKNOWN);
    }
    this.#entrySizes.set(map.id, { container: 'map', key, value });
    return plus(sum, fixed(MAP_CREATION));
  }

  /** A fold over nothing that binds a variable. Its value is evaluated when the variable is first used. */
  #binding(fold: Comprehension): Estimate {
    const before = plus(this.cost(fold.range), this.cost(fold.initial));
    this.#push(fold.accumulator, this.#bound(fold.initial));
    const cost = plus(before, this.cost(fold.result));
    this.#pop(fold.accumulator);
    this.#copySizes(fold, fold.result);
    return cost;
  }

  #comprehension(fold: Comprehension): Estimate {
    const { range, secondVariable } = fold;
    let sum = plus(this.cost(range), this.cost(fold.initial));
    this.#push(fold.accumulator, this.#bound(fold.initial));
    if (secondVariable === undefined) this.#push(fold.variable, this.#onlyVariable(range));
    else {
      this.#push(fold.variable, this.#keyVariable(range));
      this.#push(secondVariable, this.#valueVariable(range));
    }
    const condition = this.cost(fold.condition);
    const step = this.cost(fold.step);
    this.#pop(fold.variable);
    if (secondVariable !== undefined) this.#pop(secondVariable);
    sum = plus(sum, this.cost(fold.result));
    this.#pop(fold.accumulator);
    const turns = this.#computeSize(range) ?? UNKNOWN;
    this.#setSizesOfFold(fold, turns);
    return plus(sum, times(turns, plus(step, condition)));
  }

  #setSizesOfFold(fold: Comprehension, turns: Estimate): void {
    if (fold.initial.kind === 'literal') {
      const size = this.#computeSize(fold.initial);
      if (size !== undefined) this.#computedSizes.set(fold.id, size);
    } else if (fold.initial.kind === 'list' || fold.initial.kind === 'map') {
      this.#computedSizes.set(fold.id, turns);
      this.#setEntries(fold, this.#entriesOf(fold.step));
    }
  }

  /** A variable that is bound to the value of an expression. */
  #bound(value: Expression): LocalVariable {
    return { path: this.#pathOf(value), entries: this.#entriesOf(value), size: this.#computeSize(value) };
  }

  /** The only variable of a fold: the elements of a list, or the keys of a map. */
  #onlyVariable(range: Expression): LocalVariable {
    return this.#isList(range) ? this.#valueVariable(range) : this.#keyVariable(range);
  }

  #keyVariable(range: Expression): LocalVariable {
    const size = this.#entriesOf(range)?.key;
    const path = Path.extend(this.#pathOf(range), this.#isList(range) ? INDICES : KEYS);
    return { path, size, entries: undefined };
  }

  #valueVariable(range: Expression): LocalVariable {
    const size = this.#entriesOf(range)?.value;
    const path = Path.extend(this.#pathOf(range), this.#isList(range) ? ITEMS : VALUES);
    return { path, size, entries: undefined };
  }

  #isList(range: Expression): boolean {
    return (this.#entriesOf(range)?.container ?? this.#typeOf(range).kind) === 'list';
  }

  #push(name: string, variable: LocalVariable): void {
    const stack = this.#variables.get(name);
    if (stack === undefined) this.#variables.set(name, [variable]);
    else stack.push(variable);
  }

  #pop(name: string): void {
    this.#variables.get(name)?.pop();
  }

  #variable(name: string): LocalVariable | undefined {
    return this.#variables.get(name)?.at(-1);
  }

  #pathOf(expression: Expression): Path | undefined {
    const name = this.#variableName(expression);
    const variable = name === undefined ? undefined : this.#variable(name);
    return variable === undefined ? this.#paths.get(expression.id) : variable.path;
  }

  #nodeOf(expression: Expression): CostedNode {
    const path = this.#pathOf(expression);
    return {
      type: this.#typeOf(expression),
      path: path?.at(0) === ACCUMULATOR ? undefined : path,
      expression,
      size: this.#computeSize(expression),
    };
  }

  #sizeOf(node: CostedNode): Estimate {
    return node.size ?? (node.path && this.#sizes(node.path)) ?? UNKNOWN;
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#computeSize(from);
    if (size !== undefined) this.#computedSizes.set(to.id, size);
    this.#setEntries(to, this.#entriesOf(from));
  }

  #computeSize(expression: Expression): Estimate | undefined {
    const known = this.#computedSizes.get(expression.id) ?? sizeOfLiteral(expression);
    if (known !== undefined) return known;
    const path = this.#pathOf(expression);
    const estimated = path && this.#sizes(path);
    if (estimated !== undefined) {
      this.#computedSizes.set(expression.id, estimated);
      return estimated;
    }
    if (isScalar(this.#typeOf(expression))) return ONE;
    const name = this.#variableName(expression);
    return name === undefined ? undefined : this.#variable(name)?.size;
  }

  #setEntries(expression: Expression, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entrySizes.set(expression.id, entries);
  }

  #entriesOf(expression: Expression | undefined): EntrySizes | undefined {
    if (expression === undefined) return undefined;
    const known = this.#entrySizes.get(expression.id);
    if (known !== undefined) return known;
    const name = this.#variableName(expression);
    return name === undefined ? undefined : this.#variable(name)?.entries;
  }
}

/** The estimate that any union replaces. */
const NOTHING: Estimate = { min: MAX_AMOUNT, max: 0 };

function withArguments({ cost, size }: CallEstimate, costs: readonly Estimate[]): CallEstimate {
  const sum = plus(cost, costs.reduce(plus, ZERO));
  return size === undefined ? { cost: sum } : { cost: sum, size };
}

function unionOfEntries(a: EntrySizes | undefined, b: EntrySizes | undefined): EntrySizes | undefined {
  return a && b && { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}

/** True for the fold that a macro such as `optMap` makes to bind a variable. */
function isBinding({ range, condition }: Comprehension): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0;
  return isEmpty && condition.kind === 'literal' && condition.value === false;
}

function sizeOfLiteral(expression: Expression): Estimate | undefined {
  switch (expression.kind) {
    case 'literal':
      return fixed(sizeOfConstant(expression.value));
    case 'list':
      return fixed(expression.elements.length);
    case 'map':
      return fixed(expression.entries.length);
    default:
      return undefined;
  }
}

function sizeOfConstant(value: unknown): number {
  if (typeof value === 'string') return [...value].length;
  return value instanceof Uint8Array ? value.length : 1;
}

const SCALARS: ReadonlySet<CelType['kind']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

/** True for a type whose values are all of one size, and for an optional one. */
function isScalar(type: CelType): boolean {
  const held = heldByOptional(type);
  return held === undefined ? SCALARS.has(type.kind) : isScalar(held);
}
