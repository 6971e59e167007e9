import { newPatternBudget, type PatternBudget, PatternError } from '@apiserver/apimachinery/patterns';
import { compileRegularExpression, type RegularExpression } from '../patterns/regular-expression.js';
import { codePoints } from '../values/actual-size.js';
import {
  type CallCost,
  type CallWork,
  type Implementation,
  type Implementations,
  implement,
  type ParameterKind,
  type Search,
} from '../values/implementation.js';
import { TextList } from '../values/lists.js';
import { type Int, isInt } from '../values/number.js';
import { EvaluationError, ListValue, type Result, type Value } from '../values/value.js';
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

function findAll(expression: RegularExpression, { text, pattern, limit, budget }: Searched): Result {
  if (limit === 0) return new TextList([]);
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  if (pattern === '') return new EmptyMatches(text, most);
  return new TextList(expression.findAll(text, most, budget));
}

/** The arguments of a search. */
interface Searched {
  readonly text: string;
  readonly pattern: string;
  /** Below zero: no limit. */
  readonly limit: Int;
  readonly budget: PatternBudget;
}

type RunSearch = (expression: RegularExpression, searched: Searched) => Result;

/** Makes the implementation of a search, whose errors get a prefix. */
function searching(expressions: RegularExpressions, prefix: string, run: RunSearch) {
  const search: Search = (budget, text, pattern, limit = -1) => {
    const searched = { text: String(text), pattern: String(pattern), limit: isInt(limit) ? limit : -1, budget };
    return orIllegal(() => run(expressions.get(searched.pattern), searched), prefix);
  };
  return (kinds: readonly ParameterKind[], cost: CallCost | undefined, work: CallWork): Implementation => ({
    ...implement(kinds, (text: Value, pattern: Value, ...rest: Value[]) => {
      return search(newPatternBudget(), text, pattern, ...rest);
    }),
    ...{ search, cost, work },
  });
}

/** Upstream: k8s.io/apiserver/pkg/cel/library/regex.go, and matches of the language */
export function regexImplementations(): Implementations {
  const expressions = new RegularExpressions();
  const matches = searching(expressions, '', (expression, { text, budget }) => expression.matches(text, budget));
  const find = searching(expressions, ILLEGAL, (expression, { text, budget }) => expression.find(text, budget) ?? '');
  const all = searching(expressions, ILLEGAL, findAll);
  return {
    // The form without a receiver costs 1, as upstream.
    matches: matches(['string', 'string'], undefined, SEARCH_WORK),
    matches_string: matches(['string', 'string'], SEARCH, SEARCH_WORK),
    string_find_all_string: all(['string', 'string'], SEARCH, FIND_ALL_WORK),
    string_find_all_string_int: all(['string', 'string', 'int'], SEARCH, FIND_ALL_WORK),
    string_find_string: find(['string', 'string'], SEARCH, SEARCH_WORK),
  };
}
