import { Lexer } from './lexer.js';
import { type SourceToken, Token } from './token.js';

/** Text that begins no token. */
export interface Gap {
  readonly start: number;
  readonly end: number;
}

/** The tokens of a source up to its end, and the text between them that begins none. */
export interface Tokens {
  readonly tokens: readonly SourceToken[];
  readonly gaps: readonly Gap[];
}

/** Divides a text into tokens. */
export function tokenize(text: string): Tokens {
  const gaps: Gap[] = [];
  const tokens: SourceToken[] = [];
  const lexer = new Lexer(text, (start, end) => gaps.push({ start, end }));
  for (;;) {
    const token = lexer.next();
    tokens.push(token);
    if (token.type === Token.Eof) return { tokens, gaps };
  }
}
