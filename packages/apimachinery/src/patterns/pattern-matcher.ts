import { BEGINNING, beforeOf, characterAt, conditionsAt, END } from './pattern-places.js';
import { op, type PatternProgram } from './pattern-program.js';

/** The rest of a budget for patterns, in visits of an instruction. A character in a kept state takes a third of one. */
export interface PatternBudget {
  left: number;
}

/** Cost of making a state, in addition to its visits. */
const STATE_STEPS = 16;

const FIRST = 128;

/** Maximum memory for the states of a pattern, roughly in bytes. */
const MAX_MEMORY = 4 * 1024 * 1024;
const STATE_MEMORY = 200;

/** The instructions that are reached after some text, except those that need no character, and the character before. */
interface State {
  readonly reached: Int32Array;
  readonly before: number;
  /** The state after a character, by its class; the last one is the end of the text. */
  readonly next: (State | typeof MATCHED | undefined)[];
}

/** The text so far matches, whatever follows. */
const MATCHED = Symbol('matched');

/**
 * Reports whether a pattern matches anywhere in a text. It follows all paths through its program at once, character by
 * character. It keeps the states in between, so that most characters take one step. With more states than it can keep,
 * a character takes one step for each reached instruction.
 */
export class PatternMatcher {
  readonly #program: PatternProgram;
  /** By class of characters; filled on its first occurrence. */
  readonly #takes: (Uint8Array | undefined)[];
  readonly #states = new Map<number, State[]>();
  #memory = 0;
  readonly #first: State;
  readonly #next: InstructionSet;
  readonly #stack: Int32Array;
  /** By instruction: the last round that visited it. */
  readonly #visited: Float64Array;
  #round = 0;
  /** The instructions that accept the end of the text. */
  readonly #atEnd: Uint8Array;
  /** The classes of the first characters; nearly all texts have no others. */
  readonly #firstClasses: Uint16Array;
  /** The state without successors. */
  #dead: State | undefined;

  constructor(program: PatternProgram) {
    this.#program = program;
    this.#takes = new Array(program.classes);
    const { length } = program.ops;
    this.#next = new InstructionSet(length);
    // Each visit pops one entry and pushes two at most.
    this.#stack = new Int32Array(length + 2);
    this.#visited = new Float64Array(length);
    this.#atEnd = new Uint8Array(length);
    this.#firstClasses = new Uint16Array(FIRST).map((_, character) => program.classOf(character));
    this.#first = newState(Int32Array.of(program.start), BEGINNING);
  }

  /** Throws the error of `refuse` when the budget does not suffice. */
  test(text: string, budget: PatternBudget, refuse: () => Error): boolean {
    const { length } = text;
    const firstClasses = this.#firstClasses;
    let state = this.#first;
    for (let i = 0; i <= length; i++) {
      const character = i === length ? END : characterAt(text, i);
      const at = character >= 0 && character < FIRST ? (firstClasses[character] as number) : this.#classOf(character);
      let next = state.next[at];
      if (next === undefined) {
        if (budget.left <= 0) throw refuse();
        next = this.#step(state, character, at, budget);
      }
      if (next === MATCHED) return true;
      if (next === this.#dead) return false;
      state = next;
      if (character > 0xffff) i++;
    }
    return false;
  }

  #classOf(character: number): number {
    return character === END ? this.#program.classes : this.#program.classOf(character);
  }

  /** The state after a character. */
  #step(state: State, character: number, at: number, budget: PatternBudget): State | typeof MATCHED {
    const taken = character === END ? this.#atEnd : (this.#takes[at] ?? this.#newClass(character, at, budget));
    const visited = this.#visit(state.reached, conditionsAt(state.before, character), taken);
    budget.left -= Math.abs(visited) + STATE_STEPS;
    if (visited < 0) {
      state.next[at] = MATCHED;
      return MATCHED;
    }
    const next = this.#next;
    // Another match may begin at each place.
    if (!this.#program.isAnchored && character !== END) next.add(this.#program.start);
    const kept = this.#keep(next, beforeOf(character));
    if (kept.isKept) state.next[at] = kept.state;
    return kept.state;
  }

  #newClass(character: number, at: number, budget: PatternBudget): Uint8Array {
    const taken = this.#program.takes(character);
    budget.left -= taken.length;
    this.#takes[at] = taken;
    return taken;
  }

  /**
   * Follows the reached instructions to all that need no character, and consumes the character; the successors are then
   * in `#next`. Returns the number of visits, negative when the pattern has matched.
   */
  #visit(from: Int32Array, conditions: number, taken: Uint8Array): number {
    const { ops, outs, args } = this.#program;
    const [visited, stack, next] = [this.#visited, this.#stack, this.#next];
    const round = ++this.#round;
    let count = 0;
    next.clear();
    for (let k = 0; k < from.length; k++) {
      let top = 0;
      stack[top++] = from[k] as number;
      while (top > 0) {
        const pc = stack[--top] as number;
        if (visited[pc] === round) continue;
        visited[pc] = round;
        count++;
        const kind = ops[pc] as number;
        if (kind === op.character) {
          if (taken[pc] === 1) next.add(outs[pc] as number);
        } else if (kind === op.match) return -count;
        else if (kind !== op.fail && (kind !== op.condition || ((args[pc] as number) & ~conditions) === 0)) {
          if (kind === op.alternative) stack[top++] = args[pc] as number;
          stack[top++] = outs[pc] as number;
        }
      }
    }
    return count;
  }

  /** The kept state of reached instructions, or a new one, which is kept while there is room. */
  #keep(next: InstructionSet, before: number): { readonly state: State; readonly isKept: boolean } {
    const hash = Math.imul(next.hash, 4) + before;
    const candidates = this.#states.get(hash) ?? [];
    for (const state of candidates) {
      if (state.before === before && next.equals(state.reached)) return { state, isKept: true };
    }
    const state = newState(next.list(), before);
    const memory = STATE_MEMORY + state.reached.byteLength + 8 * this.#program.classes;
    if (this.#memory + memory > MAX_MEMORY) return { state, isKept: false };
    this.#memory += memory;
    candidates.push(state);
    this.#states.set(hash, candidates);
    if (state.reached.length === 0 && this.#program.isAnchored) this.#dead ??= state;
    return { state, isKept: true };
  }
}

function newState(reached: Int32Array, before: number): State {
  return { reached, before, next: [] };
}

/** A hash; sums of it differ for most sets that differ. */
function mixed(pc: number): number {
  let hash = Math.imul(pc + 1, 0x9e3779b1);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

/** A set of instructions that is cleared in one step. */
class InstructionSet {
  readonly #dense: Int32Array;
  readonly #sparse: Int32Array;
  readonly #mixed: Int32Array;
  #size = 0;
  #hash = 0;

  constructor(capacity: number) {
    this.#dense = new Int32Array(capacity);
    this.#sparse = new Int32Array(capacity);
    this.#mixed = new Int32Array(capacity).map((_, pc) => mixed(pc));
  }

  /** Hash of its elements, in any order. */
  get hash(): number {
    return this.#hash;
  }

  clear(): void {
    this.#size = 0;
    this.#hash = 0;
  }

  add(pc: number): void {
    if (this.#has(pc)) return;
    this.#sparse[pc] = this.#size;
    this.#dense[this.#size++] = pc;
    this.#hash = (this.#hash + (this.#mixed[pc] as number)) | 0;
  }

  equals(list: Int32Array): boolean {
    if (list.length !== this.#size) return false;
    for (let i = 0; i < list.length; i++) if (!this.#has(list[i] as number)) return false;
    return true;
  }

  list(): Int32Array {
    return this.#dense.slice(0, this.#size);
  }

  #has(pc: number): boolean {
    const at = this.#sparse[pc] as number;
    return at < this.#size && this.#dense[at] === pc;
  }
}
