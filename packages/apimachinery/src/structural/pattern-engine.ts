/** Compiles a regular expression in RE2's syntax into a test that matches anywhere. Throws PatternError. */
export type CompilePattern = (pattern: string) => (text: string) => boolean;

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
  loaded = (pattern) => {
    try {
      const compiled = RE2JS.compile(pattern);
      return (text) => compiled.matcher(text).find();
    } catch (error) {
      throw new PatternError(error instanceof Error ? error.message : String(error));
    }
  };
  return loaded;
}
