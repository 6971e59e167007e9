import { messageOf } from '../errors/message-of.js';
import { type FoundText, PatternFinder } from './pattern-finder.js';
import { type PatternBudget, PatternMatcher } from './pattern-matcher.js';
import { type PatternProgram, patternProgram } from './pattern-program.js';
import { patternSize } from './pattern-size.js';
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

/** A pattern that can be found, too. */
export interface FindPattern extends MatchPattern {
  /**
   * Finds the match that Go's regexp finds: the leftmost one at or behind `from`, and of those the one that the pattern
   * prefers. Throws PatternError as a call does.
   */
  find(text: string, from?: number, budget?: PatternBudget): FoundText | undefined;
}

/** Compiles a regular expression in RE2's syntax. Throws PatternError. */
export type CompilePattern<P extends MatchPattern = MatchPattern> = (pattern: string) => P;

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
const MIN_INSTRUCTIONS = 20;
/** Maximum size of one pattern: it takes as long as all of a definition may. */
const MAX_INSTRUCTIONS = MAX_STEPS / STEPS_OF_INSTRUCTION;

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
    if (patternSize(pattern) > MAX_INSTRUCTIONS) throw new PatternError('it would take too long to compile it');
    const fresh = compile(pattern);
    budget.left -= fresh.cost;
    known.set(pattern, fresh);
    return fresh;
  };
}

/** Maximum cost of the compiled patterns that an engine keeps: some thousand usual ones. */
const MAX_KEPT_STEPS = 12_000_000;

/** Keeps recently used patterns compiled: definitions share most of theirs, and objects need them again. */
function keepRecent<T extends MatchPattern>(compile: CompilePattern<T>): CompilePattern<T> {
  // In order of use: a Map iterates in order of insertion.
  const known = new Map<string, T>();
  let kept = 0;
  return (pattern) => {
    const found = known.get(pattern) ?? compile(pattern);
    if (!known.delete(pattern)) kept += found.cost;
    known.set(pattern, found);
    for (const [oldest, { cost }] of known) {
      if (kept <= MAX_KEPT_STEPS) break;
      known.delete(oldest);
      kept -= cost;
    }
    return found;
  };
}

/** Thrown for an invalid regular expression; the message is the engine's. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** The library that compiles patterns: the class RE2JS of re2js. */
interface PatternLibrary {
  compile(pattern: string): { programSize(): number };
}

/** An engine for patterns of clients: its time is linear in the text. The first one loads the library. */
export async function loadPatternEngine(): Promise<CompilePattern<FindPattern>> {
  const { RE2JS } = await import('re2js');
  return patternEngine(RE2JS);
}

/** An engine over a library that is loaded. */
export function patternEngine(library: PatternLibrary): CompilePattern<FindPattern> {
  const compile: CompilePattern<FindPattern> = (pattern) => {
    try {
      const compiled = library.compile(pattern);
      return bounded(compiled, STEPS_OF_INSTRUCTION * (MIN_INSTRUCTIONS + compiled.programSize()));
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
  return keepRecent((pattern) => {
    const compiled = attempt(compile, pattern);
    if (!needsRewriting(pattern, compiled)) {
      if (compiled instanceof PatternError) throw compiled;
      return compiled;
    }
    const rewritten = rewritePattern(pattern, { knowsClass, unknownClass });
    const compiledAgain = attempt(compile, rewritten);
    if (!(compiledAgain instanceof PatternError)) return compiledAgain;
    throw new PatternError(compiledAgain.message.replace(`\`${rewritten}\``, () => `\`${pattern}\``));
  });
}

function attempt(compile: CompilePattern<FindPattern>, pattern: string): FindPattern | PatternError {
  try {
    return compile(pattern);
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}

const UNKNOWN_CLASS = 'error parsing regexp: invalid character class range: ';

/** True for a pattern that RE2JS reads differently from Go: names of classes, and groups that share a name. */
function needsRewriting(pattern: string, compiled: MatchPattern | PatternError): boolean {
  if (!(compiled instanceof PatternError)) return /\\[pP]/.test(pattern);
  return compiled.message.startsWith(UNKNOWN_CLASS) || compiled.message.includes('duplicate capture group name');
}

function unknownClass(text: string): PatternError {
  return new PatternError(`${UNKNOWN_CLASS}\`${text}\``);
}

/** Go quotes the rest of the pattern, which is empty behind a backslash. A name of a group needs a character. */
function inGoWords(message: string): string {
  if (message.endsWith('trailing backslash at end of expression')) return `${message}: \`\``;
  return message.replace(/invalid named capture: `(\(\?(?:P(?=<)|<))<?`$/, 'invalid or unsupported Perl syntax: `$1`');
}

/** A program that is read for the first text: most patterns of a definition never see one. */
function bounded(compiled: object, cost: number): FindPattern {
  let program: PatternProgram | string | undefined;
  let matcher: PatternMatcher | undefined;
  let finder: PatternFinder | undefined;
  const matches = (text: string, budget = newPatternBudget()): boolean => {
    charge(budget, text.length / 3);
    program ??= patternProgram(compiled);
    if (typeof program === 'string') return text.includes(program);
    matcher ??= new PatternMatcher(program);
    return matcher.test(text, budget, tooCostly);
  };
  const find = (text: string, from = 0, budget = newPatternBudget()): FoundText | undefined => {
    if (from === 0 && !matches(text, budget)) return undefined;
    program ??= patternProgram(compiled);
    if (typeof program === 'string') return findPlain(text, program, from, budget);
    finder ??= new PatternFinder(program);
    return finder.find(text, from, budget, tooCostly);
  };
  return Object.assign(matches, { cost, find });
}

function findPlain(text: string, plain: string, from: number, budget: PatternBudget): FoundText | undefined {
  const start = text.indexOf(plain, from);
  charge(budget, ((start < 0 ? text.length : start) - from) / 3);
  return start < 0 ? undefined : { start, end: start + plain.length };
}

function charge(budget: PatternBudget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw tooCostly();
}

function tooCostly(): PatternError {
  return new PatternError('it would take too long for the texts of this object');
}
