import {
  type CompilePattern,
  compileTogether,
  type FindPattern,
  newPatternBudget,
  type PatternBudget,
  patternEngine,
} from '@apiserver/apimachinery/patterns';
import { RE2JS } from 're2js';

const compile = patternEngine(RE2JS);

/** Compiles a regular expression of Go's syntax. Throws a PatternError with Go's text. */
export function compileRegularExpression(pattern: string): RegularExpression {
  return new RegularExpression(compile(pattern));
}

/** Compiles the literal patterns of one expression. It refuses more of them than one turn of the event loop bears. */
export function compileLiteralsTogether(): CompilePattern {
  return compileTogether(compile);
}

/**
 * A compiled regular expression. Its methods take time linear in the text for each match, and throw a PatternError when
 * that exceeds the budget. Default: a separate budget for each call.
 *
 * Upstream: Go's regexp
 */
export class RegularExpression {
  readonly #pattern: FindPattern;

  constructor(pattern: FindPattern) {
    this.#pattern = pattern;
  }

  /** True if the text has a match anywhere. */
  matches(text: string, budget?: PatternBudget): boolean {
    return this.#pattern(text, budget);
  }

  /** The leftmost match; undefined if there is none. */
  find(text: string, budget?: PatternBudget): string | undefined {
    const found = this.#pattern.find(text, 0, budget);
    return found && text.slice(found.start, found.end);
  }

  /**
   * The matches from left to right, at most `limit`. They don't overlap, and no empty one touches the one before it.
   */
  findAll(text: string, limit = Number.POSITIVE_INFINITY, budget = newPatternBudget()): readonly string[] {
    const all: string[] = [];
    let previousEnd = -1;
    for (let at = 0; at <= text.length && all.length < limit; ) {
      const found = this.#pattern.find(text, at, budget);
      if (found === undefined) break;
      const { start, end } = found;
      if (end > start || start !== previousEnd) all.push(text.slice(start, end));
      previousEnd = end;
      at = end > at ? end : at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    }
    return all;
  }
}
