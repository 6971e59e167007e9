import { type SourceToken, Token, type TokenType } from './token.js';

/**
 * Called for text that begins no token: the offset where it begins, and the offset behind the unit that does not fit.
 */
export type LexicalErrorListener = (start: number, end: number) => void;

const KEYWORDS: ReadonlyMap<string, TokenType> = new Map([
  ['in', Token.In],
  ['true', Token.True],
  ['false', Token.False],
  ['null', Token.Null],
]);

const SINGLE: Readonly<Record<string, TokenType>> = {
  '<': Token.Less,
  '>': Token.Greater,
  '[': Token.LeftBracket,
  ']': Token.RightBracket,
  '{': Token.LeftBrace,
  '}': Token.RightBrace,
  '(': Token.LeftParen,
  ')': Token.RightParen,
  '.': Token.Dot,
  ',': Token.Comma,
  '-': Token.Minus,
  '!': Token.Exclamation,
  '?': Token.QuestionMark,
  ':': Token.Colon,
  '+': Token.Plus,
  '*': Token.Star,
  '/': Token.Slash,
  '%': Token.Percent,
};

const DOUBLE: Readonly<Record<string, TokenType>> = {
  '==': Token.Equals,
  '!=': Token.NotEquals,
  '<=': Token.LessEquals,
  '>=': Token.GreaterEquals,
  '&&': Token.LogicalAnd,
  '||': Token.LogicalOr,
};

const CLASS_SPACE = 1;
const CLASS_LETTER = 2;
const CLASS_DIGIT = 4;
const CLASS_HEX = 8;
const CLASS_ESCAPED = 16;

/** Classes of the ASCII characters, as bits. */
const CLASSES: Uint8Array = characterClasses();

/**
 * Splits the source of an expression into tokens; white space and comments are left out.
 *
 * The longest token wins, as in the generated lexer of upstream; text that begins no token is reported and skipped,
 * with the first unit that does not fit.
 *
 * Upstream: github.com/google/cel-go/parser/gen/CEL.g4
 */
export class Lexer {
  readonly source: string;
  readonly #onError: LexicalErrorListener;
  #at = 0;

  constructor(source: string, onError: LexicalErrorListener) {
    this.source = source;
    this.#onError = onError;
  }

  /** The next token; the last one, of type Eof, repeats. */
  next(): SourceToken {
    for (;;) {
      this.#skipSpace();
      const start = this.#at;
      if (start >= this.source.length) return { type: Token.Eof, start: this.source.length, end: this.source.length };
      const token = this.#scan(start);
      if (token !== undefined) {
        this.#at = token.end;
        return token;
      }
    }
  }

  #skipSpace(): void {
    const { source } = this;
    for (;;) {
      while (hasClass(source.charCodeAt(this.#at), CLASS_SPACE)) this.#at++;
      if (!source.startsWith('//', this.#at)) return;
      const end = source.indexOf('\n', this.#at);
      this.#at = end < 0 ? source.length : end;
    }
  }

  #scan(start: number): SourceToken | undefined {
    const { source } = this;
    const code = source.charCodeAt(start);
    if (hasClass(code, CLASS_LETTER)) return this.#scanWord(start);
    if (hasClass(code, CLASS_DIGIT)) return scanNumber(source, start);
    const character = source[start] ?? '';
    if (character === '"' || character === "'") return this.#scanQuoted(start, start, Token.String);
    if (character === '.' && hasClass(source.charCodeAt(start + 1), CLASS_DIGIT)) return scanNumber(source, start);
    if (character === '`') return this.#scanEscapedIdentifier(start);
    const double = DOUBLE[source.slice(start, start + 2)];
    if (double !== undefined) return { type: double, start, end: start + 2 };
    const single = SINGLE[character];
    if (single !== undefined) return { type: single, start, end: start + 1 };
    const begun = character === '&' || character === '|' || character === '=';
    return this.#fail(start, begun ? start + 1 : start);
  }

  /** Reports text from `start` to the unit at `stuck`, which does not fit, and goes on behind it. */
  #fail(start: number, stuck: number): undefined {
    const end = Math.min(stuck + codePointLength(this.source, stuck), this.source.length);
    this.#onError(start, end);
    this.#at = end;
    return undefined;
  }

  /** A keyword or an identifier, or a string or bytes literal with its prefix. */
  #scanWord(start: number): SourceToken | undefined {
    const { source } = this;
    const quote = prefixedQuote(source, start);
    if (quote !== undefined) {
      const bytes = /[bB]/.test(source[start] ?? '');
      const end = endOfString(source, quote, /[rR]/.test(source[quote - 1] ?? ''));
      if (end.matched > 0) return { type: bytes ? Token.Bytes : Token.String, start, end: end.matched };
    }
    let end = start + 1;
    while (hasClass(source.charCodeAt(end), CLASS_LETTER | CLASS_DIGIT)) end++;
    const word = end - start <= 5 ? source.slice(start, end) : '';
    return { type: KEYWORDS.get(word) ?? Token.Identifier, start, end };
  }

  #scanQuoted(start: number, quote: number, type: TokenType): SourceToken | undefined {
    const { matched, stuck } = endOfString(this.source, quote, false);
    return matched > 0 ? { type, start, end: matched } : this.#fail(start, stuck);
  }

  #scanEscapedIdentifier(start: number): SourceToken | undefined {
    const { source } = this;
    let end = start + 1;
    while (hasClass(source.charCodeAt(end), CLASS_LETTER | CLASS_DIGIT | CLASS_ESCAPED)) end++;
    if (source[end] !== '`' || end === start + 1) return this.#fail(start, end);
    return { type: Token.EscapedIdentifier, start, end: end + 1 };
  }
}

/** The offset of the quote that a string or bytes literal begins with, or undefined where an identifier begins. */
function prefixedQuote(source: string, start: number): number | undefined {
  const prefix = /[rR]|[bB][rR]?/y;
  prefix.lastIndex = start;
  if (!prefix.test(source)) return undefined;
  const quote = source[prefix.lastIndex];
  return quote === '"' || quote === "'" ? prefix.lastIndex : undefined;
}

/** The end of a literal (`matched`, 0 if there is none), or the unit where it can't go on (`stuck`). */
interface StringEnd {
  readonly matched: number;
  readonly stuck: number;
}

/** Finds the end of the literal whose first quote is at `quote`. A literal of three quotes wins over an empty one. */
function endOfString(source: string, quote: number, raw: boolean): StringEnd {
  const mark = source[quote] ?? '';
  const triple = mark.repeat(3);
  if (!source.startsWith(triple, quote)) return scanString(source, quote + 1, { mark, raw, lines: false });
  const long = scanString(source, quote + 3, { mark: triple, raw, lines: true });
  return long.matched > 0 ? long : { matched: quote + 2, stuck: 0 };
}

/** The form of a string literal: its closing mark, and whether it has escapes and line ends. */
interface StringForm {
  readonly mark: string;
  readonly raw: boolean;
  readonly lines: boolean;
}

function scanString(source: string, from: number, form: StringForm): StringEnd {
  let at = from;
  while (at < source.length) {
    if (source.startsWith(form.mark, at)) return { matched: at + form.mark.length, stuck: at };
    const character = source[at];
    if (!form.lines && (character === '\n' || character === '\r')) return { matched: 0, stuck: at };
    if (form.raw || character !== '\\') {
      at++;
      continue;
    }
    const sequence = scanEscape(source, at);
    if (sequence.matched === 0) return sequence;
    at = sequence.matched;
  }
  return { matched: 0, stuck: source.length };
}

function scanEscape(source: string, at: number): StringEnd {
  const kind = source[at + 1] ?? '';
  if (kind !== '' && 'abfnrtv"\'\\?`'.includes(kind)) return { matched: at + 2, stuck: 0 };
  if (kind >= '0' && kind <= '3') return scanEscapeDigits(source, at + 2, 2, isOctal);
  const digits = kind === 'x' || kind === 'X' ? 2 : kind === 'u' ? 4 : kind === 'U' ? 8 : 0;
  return digits === 0 ? { matched: 0, stuck: at + 1 } : scanEscapeDigits(source, at + 2, digits, isHex);
}

function scanEscapeDigits(source: string, from: number, count: number, accepts: (code: number) => boolean): StringEnd {
  for (let at = from; at < from + count; at++) {
    if (!accepts(source.charCodeAt(at))) return { matched: 0, stuck: at };
  }
  return { matched: from + count, stuck: 0 };
}

function scanNumber(source: string, start: number): SourceToken {
  if (source.startsWith('0x', start) && isHex(source.charCodeAt(start + 2))) {
    return withUnsignedSuffix(source, start, endOfClass(source, start + 2, CLASS_HEX));
  }
  const whole = endOfClass(source, start, CLASS_DIGIT);
  let end = whole;
  if (source[end] === '.' && hasClass(source.charCodeAt(end + 1), CLASS_DIGIT)) {
    end = endOfClass(source, end + 1, CLASS_DIGIT);
  }
  const exponent = /[eE][+-]?[0-9]/y;
  exponent.lastIndex = end;
  if (exponent.test(source)) end = endOfClass(source, exponent.lastIndex, CLASS_DIGIT);
  return end === whole ? withUnsignedSuffix(source, start, end) : { type: Token.Float, start, end };
}

function withUnsignedSuffix(source: string, start: number, end: number): SourceToken {
  const unsigned = source[end] === 'u' || source[end] === 'U';
  return unsigned ? { type: Token.Uint, start, end: end + 1 } : { type: Token.Int, start, end };
}

function endOfClass(source: string, from: number, bits: number): number {
  let end = from;
  while (hasClass(source.charCodeAt(end), bits)) end++;
  return end;
}

/** The number of UTF-16 units of the code point at an offset; 1 at the end. */
function codePointLength(source: string, at: number): number {
  return (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function hasClass(code: number, bits: number): boolean {
  return code < 128 && ((CLASSES[code] ?? 0) & bits) !== 0;
}

function isHex(code: number): boolean {
  return hasClass(code, CLASS_HEX);
}

function isOctal(code: number): boolean {
  return code >= 48 && code <= 55;
}

function characterClasses(): Uint8Array {
  const classes = new Uint8Array(128);
  const add = (characters: string, bits: number) => {
    for (const character of characters) {
      const code = character.charCodeAt(0);
      classes[code] = (classes[code] ?? 0) | bits;
    }
  };
  add('\t \r\n\f', CLASS_SPACE);
  add('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_', CLASS_LETTER);
  add('0123456789', CLASS_DIGIT);
  add('0123456789abcdefABCDEF', CLASS_HEX);
  add('.-/ ', CLASS_ESCAPED);
  return classes;
}
