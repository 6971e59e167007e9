import { messageOf } from '../../errors/message-of.js';
import { type PatternBudget, PatternMatcher } from './pattern-matcher.js';
import { patternProgram } from './pattern-program.js';
import { rewritePattern } from './rewrite-pattern.js';

/**
 * Reports whether a pattern matches anywhere in a text. Throws PatternError when that exceeds the rest of the budget.
 * Default: a separate budget.
 */
export interface MatchPattern {
  (text: string, budget?: PatternBudget): boolean;
  /** Cost of the compilation, in steps of a budget. */
  readonly cost: number;
}

/** Compiles a regular expression in RE2's syntax. Throws PatternError. */
export type CompilePattern = (pattern: string) => MatchPattern;

/**
 * Maximum cost of all patterns and texts of one object: a few hundredths of a second. Nearly all patterns take a third
 * of a step for each character, but some have too many states to keep. Upstream has no bound.
 */
const MAX_STEPS = 3_000_000;

/** A new budget for the texts of one object. */
export function newPatternBudget(): PatternBudget {
  return { left: MAX_STEPS };
}

/** Number of steps that take as long as compiling an instruction, and minimum cost of a pattern in instructions. */
const STEPS_OF_INSTRUCTION = 60;
const LEAST_INSTRUCTIONS = 20;

/**
 * Compiles the patterns of one definition, equal ones once. Throws PatternError beyond the bound for one event loop
 * turn: some patterns of ten characters take 2 ms.
 */
export function compileTogether(compile: CompilePattern): CompilePattern {
  const known = new Map<string, MatchPattern>();
  const budget = newPatternBudget();
  return (pattern) => {
    const compiled = known.get(pattern);
    if (compiled !== undefined) return compiled;
    if (budget.left <= 0) throw new PatternError('it would take too long to compile it beside the others');
    const fresh = compile(pattern);
    budget.left -= fresh.cost;
    known.set(pattern, fresh);
    return fresh;
  };
}

/** Thrown for an invalid regular expression; the message is the engine's. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** An engine for patterns of clients: its time is linear in the text. The first one loads the library. */
export async function loadPatternEngine(): Promise<CompilePattern> {
  const { RE2JS } = await import('re2js');
  const compile: CompilePattern = (pattern) => {
    try {
      const compiled = RE2JS.compile(pattern);
      return bounded(compiled, STEPS_OF_INSTRUCTION * (LEAST_INSTRUCTIONS + compiled.programSize()));
    } catch (error) {
      throw new PatternError(inGoWords(messageOf(error)));
    }
  };
  const classes = new Map<string, boolean>();
  const knowsClass = (name: string): boolean => {
    const known = classes.get(name) ?? !(attempt(compile, `\\p{${name}}`) instanceof PatternError);
    classes.set(name, known);
    return known;
  };
  return (pattern) => {
    const compiled = attempt(compile, pattern);
    if (!needsRewriting(pattern, compiled)) {
      if (compiled instanceof PatternError) throw compiled;
      return compiled;
    }
    const rewritten = rewritePattern(pattern, { knowsClass, unknownClass });
    const compiledAgain = attempt(compile, rewritten);
    if (!(compiledAgain instanceof PatternError)) return compiledAgain;
    throw new PatternError(compiledAgain.message.replace(`\`${rewritten}\``, () => `\`${pattern}\``));
  };
}

function attempt(compile: CompilePattern, pattern: string): ReturnType<CompilePattern> | PatternError {
  try {
    return compile(pattern);
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

const UNKNOWN_CLASS = 'error parsing regexp: invalid character class range: ';

/** True for a pattern that RE2JS reads differently from Go: names of classes, and groups that share a name. */
function needsRewriting(pattern: string, compiled: ReturnType<CompilePattern> | PatternError): boolean {
  if (!(compiled instanceof PatternError)) return /\\[pP]/.test(pattern);
  return compiled.message.startsWith(UNKNOWN_CLASS) || compiled.message.includes('duplicate capture group name');
}

function unknownClass(text: string): PatternError {
  return new PatternError(`${UNKNOWN_CLASS}\`${text}\``);
}

/** Go quotes the rest of the pattern, which is empty here. */
function inGoWords(message: string): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message;
}

/** A program whose matcher is made for the first text: most patterns of a definition never see one. */
function bounded(compiled: { test(text: string): boolean }, cost: number): MatchPattern {
  let matcher: PatternMatcher | undefined;
  let isSimple = false;
  const matches = (text: string, budget = newPatternBudget()): boolean => {
    budget.left -= text.length / 3;
    if (budget.left < 0) throw tooCostly();
    if (matcher === undefined && !isSimple) {
      const program = patternProgram(compiled);
      if (program === undefined) isSimple = true;
      else matcher = new PatternMatcher(program);
    }
    return matcher === undefined ? compiled.test(text) : matcher.test(text, budget, tooCostly);
  };
  return Object.assign(matches, { cost });
}

function tooCostly(): PatternError {
  return new PatternError('it would take too long for the texts of this object');
}
