import { DecodeError } from '../../errors/decode-error.js';
import { quote } from '../../text/quote.js';
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.js';

/** Deeper text is rejected, as upstream does. */
export const MAX_JSON_DEPTH = 10_000;

/**
 * The error of text that is not JSON, in upstream's words.
 *
 * Upstream: encoding/json scanner
 */
export function jsonSyntaxError(bytes: Uint8Array): DecodeError {
  return jsonSyntaxProblem(bytes) ?? new DecodeError('syntax', UNEXPECTED_END);
}

const UNEXPECTED_END = 'unexpected end of JSON input';

/** The same for any text; undefined if it is JSON. */
export function jsonSyntaxProblem(bytes: Uint8Array): DecodeError | undefined {
  const problem = new SyntaxCheck(bytes).run();
  return problem === undefined ? undefined : new DecodeError('syntax', problem);
}

const END = -1;
const LITERALS: ReadonlyMap<number, string> = new Map([
  [0x74, 'true'],
  [0x66, 'false'],
  [0x6e, 'null'],
]);

/** Walks the text with its own stack, so that nesting uses no call depth. Methods return the error as a string. */
class SyntaxCheck {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** Open containers: `{` or `[`. */
  readonly #open: number[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  run(): string | undefined {
    let problem = this.#value();
    while (problem === undefined) {
      const container = this.#open.at(-1);
      if (container === undefined) return this.#endOfText();
      problem = this.#afterValue(container);
    }
    return problem === '' ? UNEXPECTED_END : problem;
  }

  #endOfText(): string | undefined {
    return this.#skipSpace() === END ? undefined : this.#bad('after top-level value');
  }

  /** Reads the text after a value in a container, up to the end of the next value or of the container. */
  #afterValue(container: number): string | undefined {
    const c = this.#skipSpace();
    if (c === END) return '';
    if (container === OPEN_BRACE) {
      if (c === CLOSE_BRACE) return this.#close();
      if (c !== COMMA) return this.#bad('after object key:value pair');
      this.#at++;
      return this.#key() ?? this.#value();
    }
    if (c === CLOSE_BRACKET) return this.#close();
    if (c !== COMMA) return this.#bad('after array element');
    this.#at++;
    return this.#value();
  }

  #close(): undefined {
    this.#at++;
    this.#open.pop();
    return undefined;
  }

  /** Reads a value; of a non-empty container, only up to its first scalar or empty container. */
  #value(): string | undefined {
    for (;;) {
      const c = this.#skipSpace();
      if (c === END) return '';
      if (c !== OPEN_BRACE && c !== OPEN_BRACKET) return this.#scalar(c);
      this.#at++;
      if (this.#open.push(c) > MAX_JSON_DEPTH) return 'exceeded max depth';
      const first = this.#skipSpace();
      if (first === (c === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)) return this.#close();
      const problem = c === OPEN_BRACE ? this.#key() : undefined;
      if (problem !== undefined) return problem;
    }
  }

  #scalar(c: number): string | undefined {
    if (c === QUOTE) return this.#string();
    if (c === 0x2d || isDigit(c)) return this.#number();
    const literal = LITERALS.get(c);
    return literal === undefined ? this.#bad('looking for beginning of value') : this.#literal(literal);
  }

  /** An object's key and the colon after it. */
  #key(): string | undefined {
    const c = this.#skipSpace();
    if (c === END) return '';
    if (c !== QUOTE) return this.#bad('looking for beginning of object key string');
    const problem = this.#string();
    if (problem !== undefined) return problem;
    const colon = this.#skipSpace();
    if (colon === END) return '';
    if (colon !== COLON) return this.#bad('after object key');
    this.#at++;
    return undefined;
  }

  #string(): string | undefined {
    this.#at++;
    for (;;) {
      const c = this.#peek();
      if (c === END) return '';
      if (c < 0x20) return this.#bad('in string literal');
      this.#at++;
      if (c === QUOTE) return undefined;
      if (c !== BACKSLASH) continue;
      const problem = this.#escape();
      if (problem !== undefined) return problem;
    }
  }

  #escape(): string | undefined {
    const c = this.#peek();
    if (c !== 0x75) {
      if (!ESCAPABLE.has(c)) return this.#bad('in string escape code');
      this.#at++;
      return undefined;
    }
    this.#at++;
    for (let i = 0; i < 4; i++) {
      const digit = this.#peek();
      if (!isHexDigit(digit)) return this.#bad('in \\u hexadecimal character escape');
      this.#at++;
    }
    return undefined;
  }

  #literal(text: string): string | undefined {
    for (const expected of text) {
      const c = this.#peek();
      if (c !== expected.charCodeAt(0)) return this.#bad(`in literal ${text} (expecting '${expected}')`);
      this.#at++;
    }
    return undefined;
  }

  #number(): string | undefined {
    if (this.#peek() === 0x2d) this.#at++;
    if (this.#peek() === 0x30) this.#at++;
    else {
      const problem = this.#digits('in numeric literal');
      if (problem !== undefined) return problem;
    }
    if (this.#peek() === 0x2e) {
      this.#at++;
      const problem = this.#digits('after decimal point in numeric literal');
      if (problem !== undefined) return problem;
    }
    if ((this.#peek() | 0x20) !== 0x65) return undefined;
    this.#at++;
    if (this.#peek() === 0x2b || this.#peek() === 0x2d) this.#at++;
    return this.#digits('in exponent of numeric literal');
  }

  #digits(context: string): string | undefined {
    if (!isDigit(this.#peek())) return this.#bad(context);
    while (isDigit(this.#peek())) this.#at++;
    return undefined;
  }

  #peek(): number {
    return this.#bytes[this.#at] ?? END;
  }

  #skipSpace(): number {
    for (;;) {
      const c = this.#peek();
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return c;
      this.#at++;
    }
  }

  /** Upstream reads a space behind the end of the text. */
  #bad(context: string): string {
    const c = this.#peek();
    return `invalid character ${quoteByte(c === END ? 0x20 : c)} ${context}`;
  }
}

/** `b`, `f`, `n`, `r`, `t`, the slashes and the quote. */
const ESCAPABLE: ReadonlySet<number> = new Set([0x62, 0x66, 0x6e, 0x72, 0x74, 0x5c, 0x2f, 0x22]);

function isHexDigit(c: number): boolean {
  return isDigit(c) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x66);
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

/** The byte as a character in single quotes; each byte of a UTF-8 sequence is quoted separately. */
function quoteByte(c: number): string {
  if (c === 0x27) return "'\\''";
  if (c === QUOTE) return `'"'`;
  return `'${quote(String.fromCharCode(c)).slice(1, -1)}'`;
}
