import type { Expression } from '../ast/expression.js';

/**
 * An error of an expression whose syntax is right: a reserved word, a literal out of range, a macro that is called
 * wrongly.
 */
export interface MeaningError {
  readonly offset: number;
  readonly message: string;
}

/** A part of a source that has no syntax error. */
export interface ParsedSpan {
  /** Index of the token behind it. */
  readonly end: number;
  readonly expression: Expression;
  /** The levels of its tree. */
  readonly height: number;
  /** Most nested calls of one rule inside, without that of the part itself. */
  readonly depth: number;
  /** The range of its errors in those of the recorder. */
  readonly firstError: number;
  readonly endOfErrors: number;
}

/** Takes the parts that the fast parser has read, by their first tokens, and their errors. */
export interface SpanRecorder {
  readonly expressions: (ParsedSpan | undefined)[];
  readonly unaries: (ParsedSpan | undefined)[];
  readonly errors: MeaningError[];
}
