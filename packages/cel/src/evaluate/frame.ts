import { newPatternBudget, type PatternBudget, patternSize } from '@apiserver/apimachinery/patterns';
import { codePoints } from '../values/actual-size.js';
import type { Result } from '../values/value.js';
import { type Work, workOfLength } from '../values/work.js';
import { MAX_CALL_COST } from './max-call-cost.js';

/** Ends an evaluation that costs more than it may. It has no stack: making one takes long. */
class CostLimitSignal {}

const COST_LIMIT_SIGNAL = new CostLimitSignal();

/** True for what a Frame throws. */
export function isCostLimitSignal(thrown: unknown): boolean {
  return thrown === COST_LIMIT_SIGNAL;
}

/**
 * Most work of an evaluation besides its cost: about 60 ms. Comparing the largest objects that a request may carry
 * takes half of it. Upstream has no such bound: a cheap expression may take it hours.
 */
const MAX_WORK = 5_000_000;

/** The work of one unit of cost, on average. */
const WORK_OF_COST = 5;

/** Most work of an evaluation with that of its cost. Work lowers the limit of the cost once this is less than both. */
const MAX_WORK_AND_COST = MAX_WORK + MAX_CALL_COST;

/** Work of compiling one instruction of a pattern. The smallest pattern takes as long as some. */
const WORK_OF_INSTRUCTION = 165;
const MIN_INSTRUCTIONS = 20;

/** Characters from which the size of a text is kept. */
const LONG_TEXT = 256;

/** The state of one evaluation. */
export class Frame implements Work {
  /** The cost so far. */
  cost = 0;
  /** Values by slot: those of the variables, then those of comprehensions. Undefined: the variable has no value. */
  readonly slots: (Result | undefined)[];
  #limit: number;
  #work = 0;
  #sizes: Map<string, number> | undefined;
  #patternBudget: PatternBudget | undefined;
  #patterns: Set<string> | undefined;

  constructor(slots: (Result | undefined)[], limit: number) {
    this.slots = slots;
    this.#limit = limit;
  }

  /** Adds to the cost. Throws a signal if that exceeds the limit. */
  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw COST_LIMIT_SIGNAL;
  }

  /** Takes 1 from the cost. Upstream's counter has no sign: below zero it is too high, and the evaluation ends. */
  discount(): void {
    if (this.cost === 0) {
      this.cost = 2 ** 64 - 1;
      throw COST_LIMIT_SIGNAL;
    }
    this.cost -= 1;
  }

  /** Counts work. Throws a signal if there has been too much. */
  spend(units: number): void {
    this.#work += units;
    const affordable = (MAX_WORK_AND_COST - this.#work) / WORK_OF_COST;
    if (affordable < this.#limit) this.#limit = affordable;
    if (this.#work > MAX_WORK || this.cost > this.#limit) throw COST_LIMIT_SIGNAL;
  }

  /** The steps that are left for searches for patterns. */
  get patternBudget(): PatternBudget {
    this.#patternBudget ??= newPatternBudget();
    return this.#patternBudget;
  }

  /** Counts the work of compiling a pattern that is no constant, once. */
  spendOnPattern(pattern: string): void {
    if (this.#patterns?.has(pattern)) return;
    this.spend(pattern.length);
    this.spend(WORK_OF_INSTRUCTION * (MIN_INSTRUCTIONS + patternSize(pattern)));
    this.#patterns ??= new Set();
    this.#patterns.add(pattern);
  }

  /** The number of code points of a text. */
  sizeOf(text: string): number {
    if (text.length < LONG_TEXT) return codePoints(text);
    const known = this.#sizes?.get(text);
    if (known !== undefined) return known;
    this.spend(workOfLength(text.length));
    const size = codePoints(text);
    this.#sizes ??= new Map();
    this.#sizes.set(text, size);
    return size;
  }
}

/** A compiled expression. */
export type Step = (frame: Frame) => Result;
