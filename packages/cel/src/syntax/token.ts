/**
 * Token types, numbered by their order in the grammar of the language: lists of expected tokens are printed in this
 * order.
 */
export const Token = {
  Eof: -1,
  Equals: 1,
  NotEquals: 2,
  In: 3,
  Less: 4,
  LessEquals: 5,
  GreaterEquals: 6,
  Greater: 7,
  LogicalAnd: 8,
  LogicalOr: 9,
  LeftBracket: 10,
  RightBracket: 11,
  LeftBrace: 12,
  RightBrace: 13,
  LeftParen: 14,
  RightParen: 15,
  Dot: 16,
  Comma: 17,
  Minus: 18,
  Exclamation: 19,
  QuestionMark: 20,
  Colon: 21,
  Plus: 22,
  Star: 23,
  Slash: 24,
  Percent: 25,
  True: 26,
  False: 27,
  Null: 28,
  Float: 31,
  Int: 32,
  Uint: 33,
  String: 34,
  Bytes: 35,
  Identifier: 36,
  EscapedIdentifier: 37,
} as const;

/** The type of a token, as a number. */
export type TokenType = (typeof Token)[keyof typeof Token];

/** A token: its type and its place in the source, in UTF-16 units. */
export interface SourceToken {
  readonly type: TokenType;
  readonly start: number;
  /** Offset behind the last unit. */
  readonly end: number;
  /** Text of a token that error recovery made up; it is not in the source. */
  readonly conjured?: string;
}

/** Spelling of each token type in error messages. */
const NAMES: Readonly<Record<number, string>> = {
  [Token.Eof]: '<EOF>',
  [Token.Equals]: "'=='",
  [Token.NotEquals]: "'!='",
  [Token.In]: "'in'",
  [Token.Less]: "'<'",
  [Token.LessEquals]: "'<='",
  [Token.GreaterEquals]: "'>='",
  [Token.Greater]: "'>'",
  [Token.LogicalAnd]: "'&&'",
  [Token.LogicalOr]: "'||'",
  [Token.LeftBracket]: "'['",
  [Token.RightBracket]: "']'",
  [Token.LeftBrace]: "'{'",
  [Token.RightBrace]: "'}'",
  [Token.LeftParen]: "'('",
  [Token.RightParen]: "')'",
  [Token.Dot]: "'.'",
  [Token.Comma]: "','",
  [Token.Minus]: "'-'",
  [Token.Exclamation]: "'!'",
  [Token.QuestionMark]: "'?'",
  [Token.Colon]: "':'",
  [Token.Plus]: "'+'",
  [Token.Star]: "'*'",
  [Token.Slash]: "'/'",
  [Token.Percent]: "'%'",
  [Token.True]: "'true'",
  [Token.False]: "'false'",
  [Token.Null]: "'null'",
  [Token.Float]: 'NUM_FLOAT',
  [Token.Int]: 'NUM_INT',
  [Token.Uint]: 'NUM_UINT',
  [Token.String]: 'STRING',
  [Token.Bytes]: 'BYTES',
  [Token.Identifier]: 'IDENTIFIER',
  [Token.EscapedIdentifier]: 'ESC_IDENTIFIER',
};

/** The name of a token type in error messages: a quoted literal, or the name of a class of tokens. */
export function tokenName(type: number): string {
  return NAMES[type] ?? `<${type}>`;
}

/** True if the token type has one spelling only. */
export function isLiteralToken(type: number): boolean {
  return type > 0 && type <= Token.Null;
}
