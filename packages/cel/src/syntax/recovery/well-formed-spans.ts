import type { ExpressionBuilder } from '../expression-builder.js';
import type { MeaningError, ParsedSpan, SpanRecorder } from '../parsed-span.js';
import { MAX_DEPTH } from '../reserved.js';
import type { SyntaxOptions } from '../syntax-options.js';
import type { SourceToken } from '../token.js';
import { NotWellFormed, WellFormedParser } from '../well-formed-parser.js';

/** The rules whose well-formed parts are found. */
export type SpanRule = 'expr' | 'unary';

/** The source of a wrong expression. */
export interface SpanSource {
  readonly text: string;
  readonly tokens: readonly SourceToken[];
  readonly builder: ExpressionBuilder;
  readonly options: SyntaxOptions;
}

/**
 * Finds the parts of a wrong expression that have no syntax errors. The fast parser reads them, so that the recovering
 * parser, which is ten times slower, only reads what is around an error.
 */
export class WellFormedSpans implements SpanRecorder {
  readonly expressions: (ParsedSpan | undefined)[];
  readonly unaries: (ParsedSpan | undefined)[];
  readonly errors: MeaningError[] = [];
  readonly #source: SpanSource;
  readonly builder: ExpressionBuilder;
  readonly options: SyntaxOptions;
  /** The first token that no run of the fast parser has begun at or read. */
  #unread = 0;

  constructor(source: SpanSource) {
    this.#source = source;
    this.expressions = new Array(source.tokens.length);
    this.unaries = new Array(source.tokens.length);
    this.builder = source.builder;
    this.options = source.options;
  }

  /** The well-formed part that begins at a token, inside this many nested calls. It ends where nothing continues it. */
  find(rule: SpanRule, index: number, depth: number): ParsedSpan | undefined {
    if (index >= this.#unread) this.#run(index, depth);
    const span = (rule === 'expr' ? this.expressions : this.unaries)[index];
    const own = rule === 'expr' ? 1 : 0;
    return span === undefined || depth + own + span.depth > MAX_DEPTH ? undefined : span;
  }

  /** Reads up to the next syntax error. An expression that begins before it and is not known by then contains it. */
  #run(index: number, depth: number): void {
    const parser = new WellFormedParser({ ...this.#source, recorder: this });
    this.#unread = index + 1;
    try {
      parser.readFrom(index, depth);
    } catch (error) {
      if (!(error instanceof NotWellFormed)) throw error;
    }
    this.#unread = Math.max(this.#unread, parser.position);
  }
}
