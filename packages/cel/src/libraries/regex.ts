import { PatternError } from '@apiserver/apimachinery/patterns';
import { compileRegularExpression, type RegularExpression } from '../patterns/regular-expression.js';
import { codePoints } from '../values/actual-size.js';
import { type Implementations, implement } from '../values/implementation.js';
import { TextList } from '../values/lists.js';
import type { Int } from '../values/number.js';
import { EvaluationError, ListValue, type Result } from '../values/value.js';
import { SEARCH } from './call-costs.js';
import { parseWork } from './parse-work.js';

/** Work of starting a search. */
const SEARCH_WORK = 70;

/** Matches take longer than other elements. */
const FIND_ALL_WORK = parseWork(SEARCH_WORK, 0.7);

/** Most patterns are constants of few expressions. */
const MAX_PATTERNS = 256;

/** The compiled patterns that were used last. */
class RegularExpressions {
  readonly #compiled = new Map<string, RegularExpression>();

  get(pattern: string): RegularExpression {
    const known = this.#compiled.get(pattern);
    if (known !== undefined) return known;
    const [oldest] = this.#compiled.size < MAX_PATTERNS ? [] : this.#compiled.keys();
    if (oldest !== undefined) this.#compiled.delete(oldest);
    const expression = compileRegularExpression(pattern);
    this.#compiled.set(pattern, expression);
    return expression;
  }
}

/** The result of a search; its error for a wrong pattern, and for a search beyond its budget. */
function orIllegal(search: () => Result, prefix: string): Result {
  try {
    return search();
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return new EvaluationError(`${prefix}${error.message}`);
  }
}

const ILLEGAL = 'Illegal regex: ';

/** The empty pattern costs nothing, so its matches are counted, not made. */
class EmptyMatches extends ListValue {
  readonly size: number;

  override get holdsTexts(): boolean {
    return true;
  }

  constructor(text: string, limit: number) {
    super();
    this.size = Math.min(codePoints(text) + 1, limit);
  }

  at(): string {
    return '';
  }
}

function findAll(expressions: RegularExpressions, text: string, pattern: string, limit: Int): Result {
  const expression = expressions.get(pattern);
  if (limit === 0) return new TextList([]);
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  if (pattern === '') return new EmptyMatches(text, most);
  return new TextList(expression.findAll(text, most));
}

/** Upstream: k8s.io/apiserver/pkg/cel/library/regex.go, and matches of the language */
export function regexImplementations(): Implementations {
  const expressions = new RegularExpressions();
  const matches = (text: string, pattern: string) => orIllegal(() => expressions.get(pattern).matches(text), '');
  return {
    // The form without a receiver costs 1, as upstream.
    matches: implement(['string', 'string'], matches, undefined, SEARCH_WORK),
    matches_string: implement(['string', 'string'], matches, SEARCH, SEARCH_WORK),
    string_find_all_string: implement(
      ['string', 'string'],
      (text, pattern) => orIllegal(() => findAll(expressions, text, pattern, -1), ILLEGAL),
      SEARCH,
      FIND_ALL_WORK,
    ),
    string_find_all_string_int: implement(
      ['string', 'string', 'int'],
      (text, pattern, limit) => orIllegal(() => findAll(expressions, text, pattern, limit), ILLEGAL),
      SEARCH,
      FIND_ALL_WORK,
    ),
    string_find_string: implement(
      ['string', 'string'],
      (text, pattern) => orIllegal(() => expressions.get(pattern).find(text) ?? '', ILLEGAL),
      SEARCH,
      SEARCH_WORK,
    ),
  };
}
