import { rewritePattern } from './rewrite-pattern.js';

/**
 * Compiles a regular expression in RE2's syntax into a test that matches anywhere. Throws PatternError, and so does the
 * test for a text for which the pattern would take too long.
 */
export type CompilePattern = (pattern: string) => (text: string) => boolean;

/**
 * The most steps that a pattern may take for one text where each character costs as many as its program has instructions.
 * The engine mostly needs one step for each, but there are patterns of which it cannot keep the states. Upstream has no
 * bound.
 */
const MAX_STEPS = 2_000_000;

/** A pattern that is no regular expression; the message is the engine's. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

let engine: Promise<CompilePattern> | undefined;
let loaded: CompilePattern | undefined;

/** The engine if somebody has loaded it, for code that cannot wait. */
export function loadedPatternEngine(): CompilePattern | undefined {
  return loaded;
}

/** The engine for patterns of clients: its time is linear in the text. Loaded on first use. */
export function loadPatternEngine(): Promise<CompilePattern> {
  engine ??= load();
  return engine;
}

async function load(): Promise<CompilePattern> {
  const { RE2JS } = await import('re2js');
  const compile: CompilePattern = (pattern) => {
    try {
      const compiled = RE2JS.compile(pattern);
      boundSlowWay(Reflect.get(compiled, 're2Input'), compiled.programSize());
      // Unlike a search for the place of a match, this goes by states that are kept: one step for each character.
      return (text) => compiled.test(text);
    } catch (error) {
      throw new PatternError(inGoWords(error instanceof Error ? error.message : String(error)));
    }
  };
  const classes = new Map<string, boolean>();
  const knowsClass = (name: string): boolean => {
    const known = classes.get(name) ?? !(attempt(compile, `\\p{${name}}`) instanceof PatternError);
    classes.set(name, known);
    return known;
  };
  loaded = (pattern) => {
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
  return loaded;
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

/** RE2JS follows Go's syntax but for the names of classes, and for groups that share one. */
function needsRewriting(pattern: string, compiled: ReturnType<CompilePattern> | PatternError): boolean {
  if (!(compiled instanceof PatternError)) return /\\[pP]/.test(pattern);
  return compiled.message.startsWith(UNKNOWN_CLASS) || compiled.message.includes('duplicate capture group name');
}

function unknownClass(text: string): PatternError {
  return new PatternError(`${UNKNOWN_CLASS}\`${text}\``);
}

/** Go quotes what is left of the pattern, and here nothing is. */
function inGoWords(message: string): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message;
}

/** The engine's way for what has too many states to keep them. */
interface SlowWay {
  doExecuteNFA(input: { endPos(): number }, ...more: readonly unknown[]): unknown;
}

/** The engine itself has no bound; that this reaches into it has a test. */
function boundSlowWay(compiled: unknown, instructions: number): void {
  if (!hasSlowWay(compiled)) throw new TypeError('the engine for patterns has changed');
  const execute = compiled.doExecuteNFA.bind(compiled);
  const longest = Math.floor(MAX_STEPS / instructions);
  compiled.doExecuteNFA = (input, ...more) => {
    if (input.endPos() <= longest) return execute(input, ...more);
    throw new PatternError(`it would take too long for a text of more than ${longest} characters`);
  };
}

function hasSlowWay(compiled: unknown): compiled is SlowWay {
  return typeof compiled === 'object' && compiled !== null && 'doExecuteNFA' in compiled;
}
