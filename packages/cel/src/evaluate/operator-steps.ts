import { Operator } from '../ast/operators.js';
import { compareValues, isOrdered } from '../values/compare.js';
import { equalValues, isElement } from '../values/equality.js';
import { NO_SUCH_OVERLOAD } from '../values/errors.js';
import { readResult } from '../values/invalid-value.js';
import { LazyMap } from '../values/lazy-map.js';
import { EvaluationError, ListValue, MapValue, type Result, type Value } from '../values/value.js';
import { type Work, workOfLength } from '../values/work.js';
import { equalityCost, inequalityCost, type OverloadCost } from './call-cost.js';
import type { Step } from './frame.js';
import { add, divide, modulo, multiply, negate, noOperation, subtract } from './operators.js';

type BinaryOperation = (a: Value, b: Value, work: Work) => Result;

const costOfOne: OverloadCost = () => 1;

/** The step of an operator with one operand. */
export function unaryStep(operator: string, operand: Step): Step | undefined {
  const operation = UNARY[operator];
  if (operation === undefined) return undefined;
  return (frame) => {
    const value = operand(frame);
    frame.charge(1);
    return operation(value);
  };
}

const UNARY: Readonly<Record<string, (value: Result) => Result>> = {
  [Operator.LogicalNot]: (value) => {
    if (typeof value === 'boolean') return !value;
    return value instanceof EvaluationError ? value : NO_SUCH_OVERLOAD;
  },
  [Operator.Negate]: (value) => (value instanceof EvaluationError ? value : negate(value)),
  [Operator.NotStrictlyFalse]: (value) => (typeof value === 'boolean' ? value : true),
};

/** The step of an operator with two operands. The cost is that of an overload that the checker has left alone. */
export function binaryStep(
  operator: string,
  [left, right]: readonly [Step, Step],
  overloadCost: OverloadCost | undefined,
): Step | undefined {
  const order = ORDERS[operator];
  if (order !== undefined) return orderStep(operator, order, { left, right, cost: overloadCost ?? costOfOne });
  const operation = OPERATIONS[operator];
  if (operation === undefined) return undefined;
  const cost = COSTS[operator] ?? overloadCost ?? costOfOne;
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    const result = a instanceof EvaluationError ? a : b instanceof EvaluationError ? b : operation(a, b, frame);
    frame.charge(cost(a, b));
    return result;
  };
}

const OPERATIONS: Readonly<Record<string, BinaryOperation>> = {
  [Operator.Add]: addWithWork,
  [Operator.Subtract]: subtract,
  [Operator.Multiply]: multiply,
  [Operator.Divide]: divide,
  [Operator.Modulo]: modulo,
  [Operator.Equals]: equalValues,
  // Values that do not compare are not equal.
  [Operator.NotEquals]: (a, b, work) => equalValues(a, b, work) !== true,
  [Operator.In]: isIn,
};

const COSTS: Readonly<Record<string, OverloadCost>> = {
  [Operator.Equals]: equalityCost,
  [Operator.NotEquals]: inequalityCost,
};

/** Lists by a schema that are sets or maps find their elements by keys. */
function addWithWork(a: Value, b: Value, work: Work): Result {
  if (typeof a === 'string' && typeof b === 'string') work.spend(workOfLength(a.length + b.length));
  else if (a instanceof ListValue && a.add !== undefined && b instanceof ListValue) work.spend(a.addedWork?.(b) ?? 0);
  return add(a, b);
}

function isIn(value: Value, container: Value, work: Work): Result {
  if (container instanceof ListValue) return isElement(value, container, work);
  if (!(container instanceof MapValue) || container instanceof LazyMap) return NO_SUCH_OVERLOAD;
  const found = container.findUnescaped(value);
  const result = found === undefined ? false : readResult(found);
  return result instanceof EvaluationError ? result : found !== undefined;
}

type Order = (comparison: number) => boolean;

const ORDERS: Readonly<Record<string, Order>> = {
  [Operator.Less]: (comparison) => comparison < 0,
  [Operator.LessEquals]: (comparison) => comparison <= 0,
  [Operator.Greater]: (comparison) => comparison > 0,
  [Operator.GreaterEquals]: (comparison) => comparison >= 0,
};

interface Comparison {
  readonly left: Step;
  readonly right: Step;
  readonly cost: OverloadCost;
}

function orderStep(operator: string, order: Order, { left, right, cost }: Comparison): Step {
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a === 'number' && typeof b === 'number') {
      frame.charge(1);
      return order(a - b);
    }
    frame.charge(cost(a, b));
    if (a instanceof EvaluationError) return a;
    if (b instanceof EvaluationError) return b;
    if (!isOrdered(a)) return noOperation(a, operator);
    if (typeof a === 'string' && typeof b === 'string') frame.spend(workOfLength(Math.min(a.length, b.length)));
    const comparison = compareValues(a, b);
    return comparison instanceof EvaluationError ? comparison : order(comparison);
  };
}

/** The step of `&&` or `||`: a decisive operand outweighs errors of the others. */
export function logicalStep(operands: readonly Step[], decisive: boolean): Step {
  return (frame) => {
    let error: EvaluationError | undefined;
    for (const operand of operands) {
      const value = operand(frame);
      if (value === decisive) return decisive;
      if (typeof value !== 'boolean') error ??= value instanceof EvaluationError ? value : NO_SUCH_OVERLOAD;
    }
    return error ?? !decisive;
  };
}
