import { ExpressionBuilder } from '../expression-builder.js';
import { Lexer } from '../lexer.js';
import { MAX_DEPTH } from '../reserved.js';
import { type ExpressionErrors, NO_LOCATION } from '../source.js';
import type { SyntaxOptions } from '../syntax-options.js';
import { buildGrammar } from './grammar.js';
import { ParsingAborted, RecoveringParser } from './recovering-parser.js';
import { TreeVisitor } from './tree-visitor.js';

/** Most syntax errors that are reported before the parser gives up. */
const MAX_SYNTAX_ERRORS = 100;
/** Most recoveries from syntax errors, and most tokens that one of them skips. */
const MAX_RECOVERIES = 30;
const MAX_SKIPPED = 256;

/**
 * Reports all errors of a wrong expression: those of its syntax, and those of its tree, such as reserved words and wrong literals.
 *
 * Upstream: github.com/google/cel-go/parser/parser.go
 */
export function explainErrors(errors: ExpressionErrors, options: SyntaxOptions): void {
  const { text } = errors.source;
  let reported = 0;
  const report = (offset: number, message: string) => {
    const location = errors.source.locate(offset);
    if (reported++ < MAX_SYNTAX_ERRORS) {
      errors.add(location, `Syntax error: ${withReservedWords(message)}`);
      return;
    }
    errors.add(location, `Syntax error: More than ${MAX_SYNTAX_ERRORS} syntax errors`);
    throw new ParsingAborted('');
  };
  const gaps: Gap[] = [];
  const lexer = new Lexer(text, (start, end) => {
    gaps.push({ start, end });
    report(start, `token recognition error at: '${text.slice(start, end)}'`);
  });
  const parser = new RecoveringParser({
    network: buildGrammar(),
    source: text,
    textBetween: (start, end) => withoutGaps(text, gaps, { start, end }),
    next: () => lexer.next(),
    onError: (token, message) => report(token.start, message),
    maxDepth: MAX_DEPTH,
    maxRecoveries: MAX_RECOVERIES,
    maxSkipped: MAX_SKIPPED,
  });
  try {
    new TreeVisitor(errors, new ExpressionBuilder(), options).visit(parser.parse());
  } catch (error) {
    if (!(error instanceof ParsingAborted)) throw error;
    if (error.message !== '') errors.add(NO_LOCATION, error.message);
  }
}

/** Text that begins no token. */
interface Gap {
  readonly start: number;
  readonly end: number;
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
