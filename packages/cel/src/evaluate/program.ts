import type { CheckedExpression } from '../check/check-expression.js';
import { COST_LIMIT_EXCEEDED } from '../values/errors.js';
import { Panic } from '../values/panic.js';
import { EvaluationError, type Result, type Value } from '../values/value.js';
import { countWork } from '../views/json-view.js';
import { Frame, isCostLimitSignal, type Step } from './frame.js';
import { Planner, ProgramFault } from './planner.js';
import type { ProgramEnvironment } from './program-environment.js';

/** The outcome of an evaluation. */
export interface Evaluation {
  /** A value, an error, or COST_LIMIT_EXCEEDED. */
  readonly result: Result;
  readonly cost: number;
}

/** A compiled expression. It keeps no state: evaluations may nest. */
export class Program {
  readonly #step: Step;
  readonly #slots: number;

  constructor(step: Step, slots: number) {
    this.#step = step;
    this.#slots = slots;
  }

  /** Evaluates with the values of the variables. A variable that is undefined has no value: reading it is an error. */
  evaluate(bindings: readonly (Value | undefined)[], costLimit: number): Evaluation {
    const slots = new Array<Result | undefined>(this.#slots);
    const frame = new Frame(slots, costLimit);
    for (let index = 0; index < bindings.length; index++) {
      slots[index] = bindings[index];
      countWork(bindings[index], frame);
    }
    try {
      const result = this.#step(frame);
      return { result, cost: frame.cost };
    } catch (thrown) {
      if (thrown instanceof Panic) {
        return { result: new EvaluationError(`internal error: ${thrown.text}`), cost: frame.cost };
      }
      if (!isCostLimitSignal(thrown) && !isStackOverflow(thrown)) throw thrown;
      return { result: COST_LIMIT_EXCEEDED, cost: frame.cost };
    }
  }
}

/** True for the comparison of values that nest too deeply. */
function isStackOverflow(thrown: unknown): boolean {
  // There is no stack left for a regular expression.
  return thrown instanceof RangeError && thrown.message === 'Maximum call stack size exceeded';
}

/** Compiles a checked expression; constants are evaluated now, and may be at fault. */
export function compileProgram(checked: CheckedExpression, environment: ProgramEnvironment): Program | EvaluationError {
  try {
    const planner = new Planner(checked, environment);
    const step = planner.compile(checked.root);
    return new Program(step, planner.slots);
  } catch (thrown) {
    if (thrown instanceof ProgramFault) return new EvaluationError(thrown.message);
    throw thrown;
  }
}
