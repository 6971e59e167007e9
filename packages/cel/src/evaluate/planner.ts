import type { Call, Comprehension, Expression, ListLiteral, Select } from '../ast/expression.js';
import { Operator } from '../ast/operators.js';
import type { CheckedExpression } from '../check/check-expression.js';
import { namedType } from '../check/environment.js';
import { messageConstructor } from '../messages/make-message.js';
import { NULL_VALUE } from '../messages/message-types.js';
import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { readResult } from '../values/invalid-value.js';
import { EvaluationError, TypeValue } from '../values/value.js';
import { DynList, DynMap } from '../views/dyn-view.js';
import { type Attribute, attributeOf, type Plan, qualify, resolve, stepOf } from './attribute.js';
import { callStep, type FunctionCall, typesMisfit } from './call.js';
import { STANDARD_COSTS } from './call-cost.js';
import { accumulatorStep, foldStep } from './fold.js';
import { Frame, type Step } from './frame.js';
import { listPlan, mapPlan, structPlan } from './literals.js';
import { invalidKey, invalidNativeKey, isKey } from './lookup.js';
import { membershipPlan } from './membership.js';
import { binaryStep, logicalStep, unaryStep } from './operator-steps.js';
import { noOperation } from './operators.js';
import { orStep } from './optional-steps.js';
import { hasConstantPattern, patternFault } from './pattern.js';
import type { ProgramEnvironment } from './program-environment.js';
import { sizeOf } from './standard-functions.js';

/** A program can't be made. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault';
}

/** Functions whose call with a constant is evaluated when the program is made. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

/** Functions with one implementation for all their overloads. */
const SINGLE: ReadonlySet<string> = new Set(['@sortByAssociatedKeys', 'dyn', 'matches', 'size', 'sort', 'type']);

type Scope = ReadonlyMap<string, Step>;

/**
 * Plans the steps of an expression.
 *
 * Upstream: github.com/google/cel-go/interpreter/planner.go
 */
export class Planner {
  /** Slots that the program needs. */
  slots: number;
  readonly #checked: CheckedExpression;
  readonly #environment: ProgramEnvironment;
  readonly #variables: Scope;
  /** Steps that read a variable whose parts upstream holds as Go's values. */
  readonly #native: ReadonlySet<Step>;
  #scope: Scope;

  constructor(checked: CheckedExpression, environment: ProgramEnvironment) {
    this.#checked = checked;
    this.#environment = environment;
    const root = environment.rereadsJson === true ? rereadStep : variableStep;
    this.#variables = new Map(environment.variables.map((name, slot) => [name, root(slot, name)]));
    const native = environment.rereadsJson === true ? this.#variables.entries() : [];
    this.#native = new Set(Array.from(native).flatMap(([name, read]) => (name === 'variables' ? [] : [read])));
    this.#scope = this.#variables;
    this.slots = environment.variables.length;
  }

  /** The step of an expression. Throws a ProgramFault. */
  compile(expression: Expression): Step {
    return stepOf(this.#plan(expression));
  }

  #plan(expression: Expression): Plan {
    switch (expression.kind) {
      case 'literal':
        return { kind: 'constant', value: expression.value };
      case 'identifier':
        return this.#name(expression.id);
      case 'select':
        return this.#select(expression);
      case 'call':
        return this.#call(expression);
      case 'list':
        return this.#list(expression);
      case 'map':
        return mapPlan(
          expression.entries.map(({ key, value, optional }) => ({
            key: this.#plan(key),
            value: this.#plan(value),
            optional,
          })),
        );
      case 'struct': {
        const name = this.#referredName(expression.id);
        const construct = this.#environment.structs?.(name) ?? messageConstructor(name);
        const fields = expression.fields.map((field) => ({ ...field, value: this.compile(field.value) }));
        return structPlan(construct, fields);
      }
      case 'comprehension':
        return { kind: 'step', run: this.#comprehension(expression) };
      case 'unspecified':
        throw new ProgramFault('unsupported expr');
    }
  }

  #referredName(id: number): string {
    return this.#checked.references.get(id)?.name ?? '';
  }

  /** The plan of a name: a variable, or a type. */
  #name(id: number): Plan {
    const name = this.#referredName(id);
    if (name === NULL_VALUE) return { kind: 'constant', value: 0 };
    if (this.#checked.types.get(id)?.kind === 'type') {
      const type = namedType(name);
      if (type === undefined) throw new ProgramFault(`reference to undefined type: ${name}`);
      return { kind: 'constant', value: new TypeValue(type) };
    }
    const source = this.#scope.get(name);
    if (source === undefined) throw new ProgramFault(`undeclared variable: ${name}`);
    return { kind: 'attribute', source, qualifiers: [] };
  }

  #select(select: Select): Plan {
    if (this.#checked.references.has(select.id)) return this.#name(select.id);
    const { field, test, operand } = select;
    const declared = this.#checked.types.get(operand.id)?.kind === 'struct';
    return qualify(attributeOf(this.#plan(operand)), { key: field, optional: false, test, declared });
  }

  #call(call: Call): Plan {
    const reference = this.#checked.references.get(call.id);
    const namespaced = reference?.kind === 'function' && reference.namespaced;
    const operands = call.target === undefined || namespaced ? call.args : [call.target, ...call.args];
    const plans = operands.map((operand) => this.#plan(operand));
    const overloads = reference?.kind === 'function' ? reference.overloads : [];
    return this.#operator(reference?.name ?? call.name, plans, overloads) ?? this.#function(call, plans, overloads);
  }

  /** The plan of an operator or one of the functions that are compiled like one. */
  #operator(name: string, plans: readonly Plan[], overloads: readonly string[]): Plan | undefined {
    const [first, second, third] = plans;
    if (first === undefined) return undefined;
    if (name === Operator.LogicalAnd || name === Operator.LogicalOr) {
      return { kind: 'step', run: logicalStep(plans.map(stepOf), name === Operator.LogicalOr) };
    }
    if (second === undefined) return step(unaryStep(name, stepOf(first)));
    if (third !== undefined) {
      if (name !== Operator.Conditional) return undefined;
      const [truthy, falsy] = [attributeOf(second), attributeOf(third)];
      return { kind: 'conditional', condition: stepOf(first), truthy, falsy, test: false };
    }
    switch (name) {
      case Operator.Index:
        return indexPlan(first, this.#index(second), false);
      case Operator.OptIndex:
      case Operator.OptSelect:
        return indexPlan(first, this.#index(second), true);
      case 'or':
      case 'orValue':
        return { kind: 'step', run: orStep(stepOf(first), stepOf(second), name === 'orValue') };
    }
    const [overload] = overloads.length === 1 ? overloads : [];
    if (overload === 'in_list' && second.kind === 'constant') {
      const membership = membershipPlan(stepOf(first), second.value);
      if (membership !== undefined) return membership;
    }
    const cost = overload === undefined ? undefined : STANDARD_COSTS[overload];
    return step(binaryStep(name, [stepOf(first), stepOf(second)], cost));
  }

  /** An index names the Go type of what it finds, if it may not select a part. */
  #index(index: Plan): Plan {
    return index.kind === 'attribute' || index.kind === 'conditional' ? this.#attributeIndex(index) : index;
  }

  #attributeIndex(index: Attribute): Attribute {
    if (index.kind === 'conditional') {
      const [truthy, falsy] = [this.#attributeIndex(index.truthy), this.#attributeIndex(index.falsy)];
      return { ...index, truthy, falsy };
    }
    if (!this.#native.has(index.source)) return index;
    const read = resolve(index);
    const source: Step = (frame) => {
      const value = read(frame);
      return value instanceof EvaluationError || isKey(value) ? value : invalidNativeKey(value);
    };
    return { kind: 'attribute', source, qualifiers: [] };
  }

  #function(call: Call, plans: readonly Plan[], ids: readonly string[]): Plan {
    const name = this.#referredName(call.id);
    const overloads = ids.flatMap((id) => this.#environment.functions[id] ?? []);
    if (overloads.length === 0) throw new ProgramFault(`no such overload: ${name}`);
    const fault = patternFault(name, overloads, plans);
    if (fault !== undefined) throw new ProgramFault(fault.message);
    const [only] = ids.length === 1 ? ids : [];
    const run = callStep({
      name,
      args: plans.map(stepOf),
      overloads,
      cost: only === undefined ? undefined : STANDARD_COSTS[only],
      sequential: isVariadic(name, ids) || hasConstantPattern(name, plans),
      hasConstantPattern: hasConstantPattern(name, plans),
      misfit: misfitOf(name, plans),
    });
    const [operand] = plans;
    if (name === 'size' && operand !== undefined) return { kind: 'step', run: sizeStep(stepOf(operand)) };
    const foldable = CONVERSIONS.has(name) && plans.length === 1 && plans[0]?.kind === 'constant';
    return foldable ? this.#constant(run) : { kind: 'step', run };
  }

  /** Evaluates a step that reads no variable. */
  #constant(run: Step): Plan {
    const value = run(new Frame([], Number.MAX_SAFE_INTEGER));
    if (value instanceof EvaluationError) throw new ProgramFault(value.message);
    return { kind: 'constant', value };
  }

  #list({ elements, optional }: ListLiteral): Plan {
    return listPlan(elements.map((element, index) => ({ value: this.#plan(element), optional: optional.has(index) })));
  }

  #comprehension(fold: Comprehension): Step {
    const outer = this.#scope;
    const initial = this.compile(fold.initial);
    const range = this.compile(fold.range);
    const accumulator = this.slots++;
    const variable = this.slots++;
    const second = fold.secondVariable === undefined ? undefined : this.slots++;
    const inside = new Map(outer).set(fold.accumulator, accumulatorStep(accumulator, initial));
    const loop = new Map(inside).set(fold.variable, variableStep(variable, fold.variable));
    if (fold.secondVariable !== undefined && second !== undefined) {
      loop.set(fold.secondVariable, variableStep(second, fold.secondVariable));
    }
    this.#scope = loop;
    const condition = this.compile(fold.condition);
    const stepOfLoop = this.compile(fold.step);
    this.#scope = inside;
    const result = this.compile(fold.result);
    this.#scope = outer;
    return foldStep({ range, initial, condition, step: stepOfLoop, result, accumulator, variable, second });
  }
}

/**
 * Reports whether upstream calls the function with a list of its arguments, as it does with most that have several
 * overloads.
 */
function isVariadic(name: string, overloads: readonly string[]): boolean {
  return name === 'format' || (overloads.length > 1 && !SINGLE.has(name));
}

/** Upstream names the types of the arguments only where each overload has an implementation of its own. */
function misfitOf(name: string, plans: readonly Plan[]): FunctionCall['misfit'] {
  if (hasConstantPattern(name, plans)) return () => NO_SUCH_OVERLOAD;
  return SINGLE.has(name) ? ([operand = null]) => noOperation(operand, name) : typesMisfit(name);
}

/** The size of a text that was counted before is known. */
function sizeStep(operand: Step): Step {
  return (frame) => {
    const value = operand(frame);
    frame.charge(1);
    if (value instanceof EvaluationError) return value;
    return typeof value === 'string' ? frame.sizeOf(value) : sizeOf(value);
  };
}

function step(run: Step | undefined): Plan | undefined {
  return run && { kind: 'step', run };
}

function variableStep(slot: number, name: string): Step {
  const missing = new EvaluationError(`no such attribute(s): ${name}`);
  return (frame: Frame) => {
    const value = frame.slots[slot];
    return value === undefined ? missing : readResult(value);
  };
}

function rereadStep(slot: number, name: string): Step {
  const read = variableStep(slot, name);
  return (frame: Frame) => {
    const value = read(frame);
    return value instanceof DynMap || value instanceof DynList ? value.again() : value;
  };
}

/** An index costs as a part of its attribute; the name of a variable in it costs nothing. */
function indexPlan(operand: Plan, index: Plan, optional: boolean): Plan {
  if (index.kind === 'constant' && !isKey(index.value)) throw new ProgramFault(invalidKey(index.value).message);
  const key = index.kind === 'constant' ? index.value : index.kind === 'step' ? index.run : resolve(index);
  return qualify(attributeOf(operand), { key, optional, test: false });
}
