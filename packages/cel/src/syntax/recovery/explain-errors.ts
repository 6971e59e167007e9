import { ExpressionBuilder, MAX_NODES } from '../expression-builder.js';
import { MAX_DEPTH } from '../reserved.js';
import { type ExpressionErrors, NO_LOCATION } from '../source.js';
import type { SyntaxOptions } from '../syntax-options.js';
import { type SourceToken, Token } from '../token.js';
import type { Gap, Tokens } from '../tokenize.js';
import { buildGrammar } from './grammar.js';
import { ParsingAborted, RecoveringParser } from './recovering-parser.js';
import { TreeVisitor } from './tree-visitor.js';
import { WellFormedSpans } from './well-formed-spans.js';

/** Most syntax errors that are reported before the parser gives up. */
const MAX_SYNTAX_ERRORS = 100;
/** Most recoveries from syntax errors, and most tokens that one of them skips. */
const MAX_RECOVERIES = 30;
const MAX_SKIPPED = 256;

/**
 * Reports all errors of a wrong expression: those of its syntax, and those of its tree, such as reserved words and
 * wrong literals. The fast parser reads the parts without syntax errors, unless `skips` is false.
 *
 * Upstream: github.com/google/cel-go/parser/parser.go
 */
export function explainErrors(
  errors: ExpressionErrors,
  { tokens, gaps }: Tokens,
  options: SyntaxOptions,
  skips = true,
): void {
  const { text } = errors.source;
  const report = syntaxReporter(errors);
  const builder = new ExpressionBuilder(2 * MAX_NODES);
  const spans = new WellFormedSpans({ text, tokens, builder, options });
  const parser = new RecoveringParser({
    network: buildGrammar(),
    source: text,
    textBetween: (start, end) => withoutGaps(text, gaps, { start, end }),
    next: tokenReader(text, { tokens, gaps }, report),
    findSpan: (rule, index, depth) => (skips ? spans.find(rule, index, depth) : undefined),
    onError: (token, message) => report(token.start, message),
    maxDepth: MAX_DEPTH,
    maxRecoveries: MAX_RECOVERIES,
    maxSkipped: MAX_SKIPPED,
  });
  try {
    new TreeVisitor(errors, spans).visit(parser.parse());
  } catch (error) {
    if (!(error instanceof ParsingAborted)) throw error;
    if (error.message !== '') errors.add(NO_LOCATION, error.message);
  }
}

type Report = (offset: number, message: string) => void;

/** Adds errors of the syntax. Throws a ParsingAborted for one too many. */
function syntaxReporter(errors: ExpressionErrors): Report {
  let reported = 0;
  return (offset, message) => {
    if (reported++ < MAX_SYNTAX_ERRORS) {
      errors.addAt(offset, `Syntax error: ${withReservedWords(message)}`);
      return;
    }
    errors.addAt(offset, `Syntax error: More than ${MAX_SYNTAX_ERRORS} syntax errors`);
    throw new ParsingAborted('');
  };
}

/** Returns the next token at each call. Reports the gaps before its end, which are text that is no token. */
function tokenReader(text: string, { tokens, gaps }: Tokens, report: Report): () => SourceToken {
  let nextToken = 0;
  let nextGap = 0;
  return () => {
    const token = tokens[nextToken] ?? { type: Token.Eof, start: text.length, end: text.length };
    nextToken++;
    for (let gap = gaps[nextGap]; gap !== undefined && gap.start < token.end; gap = gaps[nextGap]) {
      nextGap++;
      report(gap.start, `token recognition error at: '${text.slice(gap.start, gap.end)}'`);
    }
    return token;
  };
}

function withoutGaps(text: string, gaps: readonly Gap[], range: Gap): string {
  let result = '';
  let at = range.start;
  for (const { start, end } of gaps) {
    if (start < at || start >= range.end) continue;
    result += text.slice(at, start);
    at = end;
  }
  return result + text.slice(at, range.end);
}

/** Names an expected identifier where a keyword stands behind a dot, as upstream does. */
function withReservedWords(message: string): string {
  return message.replace(
    /no viable alternative at input '.(true|false|null)'/,
    "mismatched input '$1' expecting IDENTIFIER",
  );
}
