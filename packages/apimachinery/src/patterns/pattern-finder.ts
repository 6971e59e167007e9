import type { PatternBudget } from './pattern-matcher.js';
import { BEGINNING, beforeOf, characterAt, conditionsAt, END } from './pattern-places.js';
import { op, type PatternProgram } from './pattern-program.js';

/** The bounds of a match, in UTF-16 units. */
export interface FoundText {
  readonly start: number;
  readonly end: number;
}

/** Paths through a program, the preferred ones first: the instruction of each, and where its match begins. */
interface Paths {
  readonly instructions: Int32Array;
  readonly starts: Int32Array;
  size: number;
}

/**
 * Finds the bounds of the match that a backtracking search would find first. It follows all paths through the program
 * at once, in the order of their preference, so its time is linear in the text.
 */
export class PatternFinder {
  readonly #program: PatternProgram;
  /** By class of characters: 1 for an instruction that accepts it. */
  readonly #takes: (Uint8Array | undefined)[];
  readonly #atEnd: Uint8Array;
  readonly #stack: Int32Array;
  /** By instruction: the last round that visited it. */
  readonly #visited: Float64Array;
  #round = 0;
  #current: Paths;
  #next: Paths;

  constructor(program: PatternProgram) {
    const { length } = program.ops;
    this.#program = program;
    this.#takes = new Array(program.classes);
    this.#atEnd = new Uint8Array(length);
    this.#stack = new Int32Array(length + 2);
    this.#visited = new Float64Array(length);
    this.#current = newPaths(length);
    this.#next = newPaths(length);
  }

  /** Finds the first match at or behind `from`. Throws the error of `refuse` when the budget does not suffice. */
  find(text: string, from: number, budget: PatternBudget, refuse: () => Error): FoundText | undefined {
    let found: FoundText | undefined;
    this.#current.size = 0;
    let before = from === 0 ? BEGINNING : beforeOf(characterBefore(text, from));
    for (let at = from; at <= text.length; at++) {
      if (found === undefined && !(this.#program.isAnchored && at > 0)) this.#begin(at);
      if (this.#current.size === 0) break;
      if (budget.left <= 0) throw refuse();
      const character = at === text.length ? END : characterAt(text, at);
      const start = this.#advance(character, conditionsAt(before, character), budget);
      if (start !== undefined) found = { start, end: at };
      before = beforeOf(character);
      if (character > 0xffff) at++;
    }
    return found;
  }

  /** Adds the path that begins here; those that began before are preferred. */
  #begin(at: number): void {
    const paths = this.#current;
    paths.instructions[paths.size] = this.#program.start;
    paths.starts[paths.size++] = at;
  }

  /** Follows all paths over a character. Where one ends in a match, drops those after it and returns its start. */
  #advance(character: number, conditions: number, budget: PatternBudget): number | undefined {
    const [current, next] = [this.#current, this.#next];
    const taken = this.#takenBy(character, budget);
    this.#round++;
    next.size = 0;
    let matched: number | undefined;
    for (let path = 0; path < current.size && matched === undefined; path++) {
      const start = current.starts[path] ?? 0;
      const visits = this.#follow(current.instructions[path] ?? 0, start, taken, conditions);
      budget.left -= Math.abs(visits);
      if (visits < 0) matched = start;
    }
    this.#current = next;
    this.#next = current;
    return matched;
  }

  #takenBy(character: number, budget: PatternBudget): Uint8Array {
    if (character === END) return this.#atEnd;
    const at = this.#program.classOf(character);
    let taken = this.#takes[at];
    if (taken === undefined) {
      taken = this.#program.takes(character);
      this.#takes[at] = taken;
      budget.left -= taken.length;
    }
    return taken;
  }

  /** Returns the number of visits, negative when the path ends in a match. */
  #follow(from: number, start: number, taken: Uint8Array, conditions: number): number {
    const { ops, outs, args } = this.#program;
    const [visited, stack, next, round] = [this.#visited, this.#stack, this.#next, this.#round];
    let count = 1;
    let top = 0;
    stack[top++] = from;
    while (top > 0) {
      const pc = stack[--top] ?? 0;
      if (visited[pc] === round) continue;
      visited[pc] = round;
      count++;
      const kind = ops[pc] ?? 0;
      if (kind === op.character) {
        if (taken[pc] !== 1) continue;
        next.instructions[next.size] = outs[pc] ?? 0;
        next.starts[next.size++] = start;
      } else if (kind === op.match) return -count;
      else if (kind !== op.fail && (kind !== op.condition || ((args[pc] ?? 0) & ~conditions) === 0)) {
        if (kind === op.alternative) stack[top++] = args[pc] ?? 0;
        stack[top++] = outs[pc] ?? 0;
      }
    }
    return count;
  }
}

/** Room for one path through each instruction, and the one that begins. */
function newPaths(length: number): Paths {
  return { instructions: new Int32Array(length + 1), starts: new Int32Array(length + 1), size: 0 };
}

function characterBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  const isSecondHalf = (unit & 0xfc00) === 0xdc00 && at > 1;
  const pair = isSecondHalf ? characterAt(text, at - 2) : unit;
  return pair > 0xffff ? pair : unit;
}
