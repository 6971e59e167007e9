import type { Expression, MapEntry, StructField } from '../ast/expression.js';
import { Operator } from '../ast/operators.js';
import { PRODUCTS, RELATIONS, SUMS } from './binary-operators.js';
import { callOrMacro } from './call-or-macro.js';
import type { ExpressionBuilder } from './expression-builder.js';
import { doubleLiteral, intLiteral, uintLiteral } from './literals.js';
import { MacroError } from './macros.js';
import type { SpanRecorder } from './parsed-span.js';
import type { ParserInput, WellFormed } from './parser-input.js';
import { MAX_DEPTH, RESERVED_WORDS } from './reserved.js';
import type { SyntaxOptions } from './syntax-options.js';
import { type SourceToken, Token } from './token.js';
import { LiteralError, unescapeBytes, unescapeString } from './unescape.js';

/** The parser met something that it can't tell the user about. */
export class NotWellFormed extends Error {
  override readonly name = 'NotWellFormed';
}

/** Where a part begins, and how deep. */
interface Mark {
  readonly start: number;
  readonly firstError: number;
  readonly outer: number;
  readonly base: number;
}

/**
 * A recursive-descent parser of one pass, a function for each rule of the grammar.
 *
 * It counts two depths, since upstream refuses an expression by either: the nested calls of a rule, and the levels of
 * the tree.
 */
export class WellFormedParser {
  readonly #text: string;
  readonly #options: SyntaxOptions;
  readonly #builder: ExpressionBuilder;
  readonly #tokens: readonly SourceToken[];
  readonly #recorder: SpanRecorder | undefined;
  #index = 0;
  #current: SourceToken;
  #expressions = 0;
  #relations = 0;
  #sums = 0;
  /** Most of these calls at once, since the part began that is being recorded. */
  #deepest = 0;
  /** Levels of the expression that was parsed last. */
  #height = 0;

  constructor({ text, tokens, builder, options, recorder }: ParserInput) {
    this.#text = text;
    this.#options = options;
    this.#builder = builder;
    this.#tokens = tokens;
    this.#recorder = recorder;
    this.#current = this.#tokenAt(0);
  }

  /** Index of the current token. */
  get position(): number {
    return this.#index;
  }

  parse(): WellFormed {
    const root = this.#expression();
    if (this.#current.type !== Token.Eof) throw new NotWellFormed();
    return { root, offsets: this.#builder.offsets };
  }

  /**
   * Records the expression that begins at a token, inside this many nested calls. Throws NotWellFormed at a syntax
   * error.
   */
  readFrom(index: number, depth: number): void {
    this.#expressions = depth;
    this.#relations = depth;
    this.#sums = depth;
    this.#index = index;
    this.#current = this.#tokenAt(index);
    this.#expression();
  }

  #tokenAt(index: number): SourceToken {
    const token = this.#tokens[index] ?? this.#tokens.at(-1);
    if (token === undefined) throw new NotWellFormed();
    return token;
  }

  #advance(): SourceToken {
    const token = this.#current;
    this.#current = this.#tokenAt(++this.#index);
    return token;
  }

  #accept(type: number): boolean {
    if (this.#current.type !== type) return false;
    this.#advance();
    return true;
  }

  #expect(type: number): SourceToken {
    if (this.#current.type !== type) throw new NotWellFormed();
    return this.#advance();
  }

  #textOf(token: SourceToken): string {
    return this.#text.slice(token.start, token.end);
  }

  /** Sets the levels of an expression above its deepest part. */
  #raise(...parts: number[]): void {
    const height = Math.max(...parts) + 1;
    if (height > MAX_DEPTH) throw new NotWellFormed();
    this.#height = height;
  }

  /** Notes where a part begins that is to be recorded. */
  #mark(recorder: SpanRecorder): Mark {
    const outer = this.#deepest;
    const base = Math.min(this.#expressions, this.#relations, this.#sums);
    this.#deepest = Math.max(this.#expressions, this.#relations, this.#sums);
    return { start: this.#index, firstError: recorder.errors.length, outer, base };
  }

  #record(into: 'expressions' | 'unaries', { start, firstError, outer, base }: Mark, expression: Expression): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    const depth = this.#deepest - base - (into === 'expressions' ? 1 : 0);
    if (outer > this.#deepest) this.#deepest = outer;
    const operand = recorder.unaries[start];
    if (operand?.expression === expression && operand.end === this.#index) {
      // Most expressions are an operand.
      recorder[into][start] = operand;
      return;
    }
    const endOfErrors = recorder.errors.length;
    recorder[into][start] = { end: this.#index, expression, height: this.#height, depth, firstError, endOfErrors };
  }

  /** Reports an error that leaves the syntax right. Throws NotWellFormed without a recorder. */
  #report(offset: number, message: string): Expression {
    if (this.#recorder === undefined) throw new NotWellFormed();
    this.#recorder.errors.push({ offset, message });
    return { kind: 'unspecified', id: this.#builder.id(offset) };
  }

  /** Counts a nested call. */
  #enter(calls: number): void {
    if (calls > MAX_DEPTH) throw new NotWellFormed();
    if (calls > this.#deepest) this.#deepest = calls;
  }

  /** `a ? b : c` and all that binds closer. */
  #expression(): Expression {
    const mark = this.#recorder && this.#mark(this.#recorder);
    this.#enter(++this.#expressions);
    const condition = this.#or();
    const result = this.#current.type === Token.QuestionMark ? this.#conditional(condition) : condition;
    this.#expressions--;
    if (mark !== undefined) this.#record('expressions', mark, result);
    return result;
  }

  #conditional(condition: Expression): Expression {
    const height = this.#height;
    const { start } = this.#advance();
    const yes = this.#or();
    const yesHeight = this.#height;
    this.#expect(Token.Colon);
    const no = this.#expression();
    this.#raise(height, yesHeight, this.#height);
    return this.#builder.call(start, Operator.Conditional, [condition, yes, no]);
  }

  #or(): Expression {
    return this.#logical(Token.LogicalOr, Operator.LogicalOr, () => this.#and());
  }

  #and(): Expression {
    return this.#logical(Token.LogicalAnd, Operator.LogicalAnd, () => this.#relation(0));
  }

  #logical(type: number, name: string, term: () => Expression): Expression {
    const first = term();
    if (this.#current.type !== type) return first;
    const terms = [first];
    const offsets: number[] = [];
    let height = this.#height;
    while (this.#current.type === type) {
      offsets.push(this.#advance().start);
      terms.push(term());
      height = Math.max(height, this.#height);
    }
    this.#height = height;
    return this.#builder.balanced(name, terms, offsets);
  }

  #relation(precedence: number): Expression {
    this.#enter(++this.#relations);
    let left = this.#sum(0);
    for (let name = RELATIONS.get(this.#current.type); name !== undefined && precedence <= 1; ) {
      const height = this.#height;
      const { start } = this.#advance();
      const right = this.#relation(2);
      this.#raise(height, this.#height);
      left = this.#builder.call(start, name, [left, right]);
      name = RELATIONS.get(this.#current.type);
    }
    this.#relations--;
    return left;
  }

  /** Sums and products: one rule of the grammar, with two precedences. */
  #sum(precedence: number): Expression {
    this.#enter(++this.#sums);
    let left = this.#unary();
    for (;;) {
      const { type } = this.#current;
      const product = precedence <= 2 ? PRODUCTS.get(type) : undefined;
      const name = product ?? (precedence <= 1 ? SUMS.get(type) : undefined);
      if (name === undefined) break;
      const height = this.#height;
      const { start } = this.#advance();
      const right = this.#sum(product === undefined ? 2 : 3);
      this.#raise(height, this.#height);
      left = this.#builder.call(start, name, [left, right]);
    }
    this.#sums--;
    return left;
  }

  #unary(): Expression {
    const mark = this.#recorder && this.#mark(this.#recorder);
    const prefix = this.#prefix();
    const result = prefix === undefined ? this.#member() : this.#prefixed(prefix, this.#current.start);
    if (mark !== undefined) this.#record('unaries', mark, result);
    return result;
  }

  /** The type of a prefix operator's token. The sign of a number is no operator. */
  #prefix(): number | undefined {
    const { type } = this.#current;
    if (type === Token.Exclamation) return type;
    if (type !== Token.Minus) return undefined;
    const next = this.#tokenAt(this.#index + 1).type;
    return next === Token.Int || next === Token.Float ? undefined : type;
  }

  /** `!!a` and `--a` are a. */
  #prefixed(type: number, start: number): Expression {
    let count = 0;
    while (this.#accept(type)) count++;
    const operand = this.#member();
    const name = type === Token.Minus ? Operator.Negate : Operator.LogicalNot;
    return count % 2 === 0 ? operand : this.#builder.call(start, name, [operand]);
  }

  #member(): Expression {
    let operand = this.#primary();
    for (;;) {
      const { type } = this.#current;
      if (type === Token.Dot) operand = this.#selection(operand);
      else if (type === Token.LeftBracket) operand = this.#indexing(operand);
      else return operand;
    }
  }

  #selection(operand: Expression): Expression {
    const height = this.#height;
    const dot = this.#advance();
    const optional = this.#optionalMark();
    const field = this.#current;
    const name = this.#fieldName(field.start) ?? '';
    if (optional) {
      this.#raise(height);
      const literal = this.#builder.literal(field.start, name);
      return this.#builder.call(dot.start, Operator.OptSelect, [operand, literal]);
    }
    if (this.#current.type !== Token.LeftParen || field.type !== Token.Identifier) {
      this.#raise(height);
      return this.#builder.select(dot.start, operand, name);
    }
    const { start } = this.#current;
    const args = this.#arguments();
    this.#raise(height, this.#height);
    return this.#callOrMacro(start, name, args, operand);
  }

  /** The name of a field; undefined, and reported at `offset`, for a quoted one. */
  #fieldName(offset: number): string | undefined {
    const field = this.#advance();
    if (field.type === Token.Identifier) return this.#textOf(field);
    if (field.type !== Token.EscapedIdentifier) throw new NotWellFormed();
    this.#report(offset, "unsupported syntax: '`'");
    return undefined;
  }

  #indexing(operand: Expression): Expression {
    const height = this.#height;
    const { start } = this.#advance();
    const optional = this.#optionalMark();
    const index = this.#expression();
    this.#expect(Token.RightBracket);
    this.#raise(height, this.#height);
    return this.#builder.call(start, optional ? Operator.OptIndex : Operator.Index, [operand, index]);
  }

  #optionalMark(): boolean {
    if (!this.#accept(Token.QuestionMark)) return false;
    if (!this.#options.optionalSyntax) throw new NotWellFormed();
    return true;
  }

  #callOrMacro(offset: number, name: string, args: readonly Expression[], target?: Expression): Expression {
    const made = callOrMacro(this.#builder, this.#options.macros, { offset, name, args, target });
    return made instanceof MacroError ? this.#report(this.#builder.offsets[made.at] ?? offset, made.message) : made;
  }

  /** The arguments of a call, from its opening parenthesis. Sets the height to that of the highest. */
  #arguments(): readonly Expression[] {
    this.#expect(Token.LeftParen);
    const args: Expression[] = [];
    let height = 0;
    while (this.#current.type !== Token.RightParen) {
      if (args.length > 0) this.#expect(Token.Comma);
      args.push(this.#expression());
      height = Math.max(height, this.#height);
    }
    this.#advance();
    this.#height = height;
    return args;
  }

  #primary(): Expression {
    this.#height = 0;
    const token = this.#current;
    switch (token.type) {
      case Token.Dot:
      case Token.Identifier:
        return this.#named();
      case Token.LeftParen: {
        this.#advance();
        const nested = this.#expression();
        this.#expect(Token.RightParen);
        return nested;
      }
      case Token.LeftBracket:
        return this.#list();
      case Token.LeftBrace:
        return this.#map();
      default:
        return this.#literal();
    }
  }

  #literal(): Expression {
    const token = this.#advance();
    try {
      return this.#builder.literal(token.start, this.#constant(token));
    } catch (error) {
      if (!(error instanceof LiteralError)) throw error;
      return this.#report(token.start, error.message);
    }
  }

  #constant(token: SourceToken) {
    switch (token.type) {
      case Token.Minus: {
        const number = this.#advance();
        const text = `-${this.#textOf(number)}`;
        if (number.type === Token.Float) return doubleLiteral(text);
        if (number.type === Token.Int) return intLiteral(text);
        throw new NotWellFormed();
      }
      case Token.Int:
        return intLiteral(this.#textOf(token));
      case Token.Uint:
        return uintLiteral(this.#textOf(token));
      case Token.Float:
        return doubleLiteral(this.#textOf(token));
      case Token.String:
        return unescapeString(this.#textOf(token));
      case Token.Bytes:
        return unescapeBytes(this.#text.slice(token.start + 1, token.end));
      case Token.True:
      case Token.False:
        return token.type === Token.True;
      case Token.Null:
        return null;
      default:
        throw new NotWellFormed();
    }
  }

  /** An identifier, a call, or a struct literal. */
  #named(): Expression {
    const begin = this.#current.start;
    const dot = this.#accept(Token.Dot) ? '.' : '';
    const identifier = this.#expect(Token.Identifier);
    const struct = this.#braceOfStruct();
    if (struct !== undefined) {
      return this.#struct(`${dot}${this.#text.slice(identifier.start, identifier.end)}`, struct);
    }
    const word = this.#textOf(identifier);
    if (RESERVED_WORDS.has(word)) return this.#reserved(begin, word);
    const { type, start } = this.#current;
    if (type !== Token.LeftParen) return this.#builder.identifier(identifier.start, dot + word);
    const args = this.#arguments();
    return this.#callOrMacro(start, dot + word, args);
  }

  /** The errors of the arguments of a reserved word do not count. */
  #reserved(offset: number, word: string): Expression {
    if (this.#current.type !== Token.LeftParen) return this.#report(offset, `reserved identifier: ${word}`);
    const errors = this.#recorder?.errors ?? [];
    const { length } = errors;
    this.#arguments();
    errors.length = length;
    this.#height = 0;
    return this.#report(offset, `reserved identifier: ${word}`);
  }

  /** The index of the brace, if the identifier that was read begins the name of a struct's type. */
  #braceOfStruct(): number | undefined {
    let index = this.#index;
    while (this.#tokenAt(index).type === Token.Dot && this.#tokenAt(index + 1).type === Token.Identifier) index += 2;
    return this.#tokenAt(index).type === Token.LeftBrace ? index : undefined;
  }

  #struct(first: string, brace: number): Expression {
    let typeName = first;
    while (this.#index < brace) typeName += this.#textOf(this.#advance());
    const { start } = this.#advance();
    const fieldsStart = this.#current.start;
    const fields: StructField[] = [];
    let height = 0;
    this.#items(Token.RightBrace, () => {
      const optional = this.#optionalMark();
      const name = this.#fieldName(fieldsStart);
      const id = this.#builder.id(this.#expect(Token.Colon).start);
      const errors = this.#recorder?.errors ?? [];
      const { length } = errors;
      const value = this.#expression();
      if (name === undefined) {
        errors.length = length;
        return;
      }
      fields.push({ id, name, value, optional });
      height = Math.max(height, this.#height);
    });
    this.#height = height;
    return this.#builder.struct(start, typeName, fields);
  }

  #list(): Expression {
    const { start } = this.#advance();
    const elements: Expression[] = [];
    const optional = new Set<number>();
    let height = 0;
    this.#items(Token.RightBracket, () => {
      if (this.#optionalMark()) optional.add(elements.length);
      elements.push(this.#expression());
      height = Math.max(height, this.#height);
    });
    this.#height = height;
    return this.#builder.list(start, elements, optional);
  }

  #map(): Expression {
    const { start } = this.#advance();
    const entries: MapEntry[] = [];
    let height = 0;
    this.#items(Token.RightBrace, () => {
      const optional = this.#optionalMark();
      const key = this.#expression();
      height = Math.max(height, this.#height);
      const id = this.#builder.id(this.#expect(Token.Colon).start);
      entries.push({ id, key, value: this.#expression(), optional });
      height = Math.max(height, this.#height);
    });
    this.#height = height;
    return this.#builder.map(start, entries);
  }

  /** Items behind commas up to the closing token; a comma may stand before it, even alone. */
  #items(close: number, item: () => void): void {
    if (this.#accept(Token.Comma)) {
      this.#expect(close);
      return;
    }
    while (!this.#accept(close)) {
      item();
      if (!this.#accept(Token.Comma) && this.#current.type !== close) throw new NotWellFormed();
    }
  }
}
