import type { Result } from '../values/value.js';

/** Ends an evaluation that costs more than it may. It has no stack: making one takes long. */
class CostLimitSignal {}

const COST_LIMIT_SIGNAL = new CostLimitSignal();

/** True for what `Frame.charge` throws. */
export function isCostLimitSignal(thrown: unknown): boolean {
  return thrown === COST_LIMIT_SIGNAL;
}

/** The state of one evaluation. */
export class Frame {
  /** The cost so far. */
  cost = 0;
  /** Values by slot: those of the variables, then those of comprehensions. Undefined: the variable has no value. */
  readonly slots: (Result | undefined)[];
  readonly #limit: number;

  constructor(slots: (Result | undefined)[], limit: number) {
    this.slots = slots;
    this.#limit = limit;
  }

  /** Adds to the cost. Throws a signal if that exceeds the limit. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw COST_LIMIT_SIGNAL;
  }
}

/** A compiled expression. */
export type Step = (frame: Frame) => Result;
