import type { Expression } from '../ast/expression.js';
import type { ExpressionBuilder } from './expression-builder.js';
import type { SpanRecorder } from './parsed-span.js';
import type { SyntaxOptions } from './syntax-options.js';
import type { SourceToken } from './token.js';

/** Source and options of the fast parser, and the builder of its tree. */
export interface ParserInput {
  readonly text: string;
  readonly tokens: readonly SourceToken[];
  readonly builder: ExpressionBuilder;
  readonly options: SyntaxOptions;
  /** Takes the parts of a wrong expression. Without it, the parser stops at any error. */
  readonly recorder?: SpanRecorder;
}

/** A tree, with the offset of each node by its id. */
export interface WellFormed {
  readonly root: Expression;
  readonly offsets: readonly number[];
}
