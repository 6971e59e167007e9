/** The instructions of a compiled pattern, as numbers. Classes of characters determine which characters they accept. */
export interface PatternProgram {
  readonly start: number;
  /** True if it can only match at the beginning of a text. */
  readonly isAnchored: boolean;
  /** By instruction: an `op`, the next instruction, and the alternative one, or the conditions on the place. */
  readonly ops: Uint8Array;
  readonly outs: Int32Array;
  readonly args: Int32Array;
  /** The number of classes, and the class of a character. */
  readonly classes: number;
  classOf(character: number): number;
  /** By instruction: 1 if it accepts a character. All characters of a class are accepted by the same ones. */
  takes(character: number): Uint8Array;
}

/** The kinds of instructions. */
export const op = { fail: 0, alternative: 1, pass: 2, condition: 3, match: 4, character: 5 } as const;

/** Conditions on a place in the text. */
export const place = {
  beginsLine: 1,
  endsLine: 2,
  beginsText: 4,
  endsText: 8,
  isWordBoundary: 16,
  isNoWordBoundary: 32,
} as const;

/** Members of re2js that this module reads. It has no types for them; a test checks that they exist. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(character: number): boolean;
}

interface Engine {
  readonly cond: number;
  readonly prog: {
    readonly start: number;
    readonly numLb: number;
    numInst(): number;
    getInst(pc: number): Instruction;
  };
  readonly dfa: { readonly numClasses: number; runeClass(character: number): number };
  /** The text that every match begins with; all of it if `prefixComplete`. */
  readonly prefix: string;
  readonly prefixComplete: boolean;
}

/** The engine's numbers for kinds of instructions. */
const KINDS: Readonly<Record<string, number>> = {
  ALT: op.alternative,
  ALT_MATCH: op.alternative,
  CAPTURE: op.pass,
  NOP: op.pass,
  EMPTY_WIDTH: op.condition,
  FAIL: op.fail,
  MATCH: op.match,
  RUNE: op.character,
  RUNE1: op.character,
  RUNE_ANY: op.character,
  RUNE_ANY_NOT_NL: op.character,
};

const BEGINS_TEXT = 4;

/** The program of a compiled pattern; for a pattern that only matches one text, that text. */
export function patternProgram(compiled: object): PatternProgram | string {
  const engine: unknown = Reflect.get(compiled, 're2Input');
  if (!isEngine(engine)) throw new TypeError('unexpected type of the pattern engine');
  const { prog, dfa } = engine;
  if (engine.prefixComplete) return engine.prefix;
  const instructions = Array.from({ length: prog.numInst() }, (_, pc) => prog.getInst(pc));
  return {
    start: prog.start,
    isAnchored: (engine.cond & BEGINS_TEXT) !== 0,
    ops: Uint8Array.from(instructions, kindsOf(instructions[0])),
    outs: Int32Array.from(instructions, ({ out }) => out),
    args: Int32Array.from(instructions, ({ arg }) => arg),
    classes: dfa.numClasses,
    classOf: (character) => dfa.runeClass(character),
    takes: (character) => Uint8Array.from(instructions, (instruction) => Number(instruction.matchRune(character))),
  };
}

function isEngine(engine: unknown): engine is Engine {
  if (typeof engine !== 'object' || engine === null) return false;
  return ['cond', 'prog', 'dfa', 'prefix', 'prefixComplete'].every((name) => name in engine);
}

/** The engine's numbers of instruction kinds, by the names in its class. */
function kindsOf(any: Instruction | undefined): (instruction: Instruction) => number {
  const kinds = new Map<unknown, number>();
  for (const [name, kind] of Object.entries(KINDS)) kinds.set(any && Reflect.get(any.constructor, name), kind);
  return (instruction) => {
    const kind = kinds.get(instruction.op);
    if (kind === undefined) throw new TypeError(`unknown instruction of the pattern engine: ${instruction.op}`);
    return kind;
  };
}
