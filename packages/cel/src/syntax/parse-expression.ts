import type { Expression } from '../ast/expression.js';
import { ExpressionBuilder, TreeTooLarge } from './expression-builder.js';
import type { WellFormed } from './parser-input.js';
import { explainErrors } from './recovery/explain-errors.js';
import { MAX_CODE_POINTS } from './reserved.js';
import { ExpressionErrors, NO_LOCATION, Source } from './source.js';
import type { SyntaxOptions } from './syntax-options.js';
import { type Tokens, tokenize } from './tokenize.js';
import { NotWellFormed, WellFormedParser } from './well-formed-parser.js';

/** A parsed expression. */
export interface ParsedExpression {
  readonly source: Source;
  readonly root: Expression;
  /** Offset in the source by id of a node, in UTF-16 units. */
  readonly offsets: readonly number[];
}

/**
 * Parses an expression and expands its macros. A right expression is read in one pass; a wrong one is read again by a
 * slower parser that goes on behind errors as upstream's does.
 */
export function parseExpression(text: string, options: SyntaxOptions): ParsedExpression | ExpressionErrors {
  const source = new Source(text);
  const errors = new ExpressionErrors(source);
  const size = text.length > MAX_CODE_POINTS ? source.codePoints : text.length;
  if (size > MAX_CODE_POINTS) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`;
    errors.add(NO_LOCATION, message);
    return errors;
  }
  try {
    const tokens = tokenize(text);
    const parsed = parseWellFormed(text, tokens, options);
    if (parsed !== undefined) return { source, ...parsed };
    explainErrors(errors, tokens, options);
  } catch (error) {
    if (!(error instanceof TreeTooLarge)) throw error;
    errors.add(NO_LOCATION, error.message);
  }
  return errors;
}

/**
 * Parses an expression that has no errors. Returns undefined for any other; explainErrors tells why. Throws
 * TreeTooLarge.
 */
function parseWellFormed(text: string, { tokens, gaps }: Tokens, options: SyntaxOptions): WellFormed | undefined {
  if (gaps.length > 0) return undefined;
  try {
    return new WellFormedParser({ text, tokens, builder: new ExpressionBuilder(), options }).parse();
  } catch (error) {
    if (error instanceof NotWellFormed) return undefined;
    throw error;
  }
}
