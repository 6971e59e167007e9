import { Token } from '../token.js';
import { buildNetwork, type Network, type Notation } from './atn.js';

const token = (type: number): Notation => ({ kind: 'token', type });
const set = (...types: number[]): Notation => ({ kind: 'set', types });
const call = (rule: string, precedence = 0): Notation => ({ kind: 'call', rule, precedence });
const precedence = (level: number): Notation => ({ kind: 'precedence', level });
const option = (...body: Notation[]): Notation => ({ kind: 'option', body });
const star = (...body: Notation[]): Notation => ({ kind: 'loop', body, atLeastOnce: false, oneToken: true });
const predictedStar = (...body: Notation[]): Notation => ({ kind: 'loop', body, atLeastOnce: false, oneToken: false });
const plus = (...body: Notation[]): Notation => ({ kind: 'loop', body, atLeastOnce: true, oneToken: true });
const predictedPlus = (...body: Notation[]): Notation => ({ kind: 'loop', body, atLeastOnce: true, oneToken: false });
const choice = (alternatives: Readonly<Record<string, readonly Notation[]>>): Notation => ({
  kind: 'choice',
  alternatives: Object.entries(alternatives).map(([label, body]) => ({ label, body })),
  oneToken: false,
});

/** A list of items behind commas. The last comma may belong to what holds the list, so one token does not decide. */
const separated = (...item: Notation[]): readonly Notation[] => [...item, predictedStar(token(Token.Comma), ...item)];

/**
 * The grammar of the language. Left recursion is written as loops with precedences, as ANTLR rewrites it: the tokens
 * expected at each place, and so the messages of syntax errors, depend on it.
 *
 * Upstream: github.com/google/cel-go/parser/gen/CEL.g4
 */
const GRAMMAR: Readonly<Record<string, readonly Notation[]>> = {
  start: [call('expr'), token(Token.Eof)],
  expr: [
    call('conditionalOr'),
    option(token(Token.QuestionMark), call('conditionalOr'), token(Token.Colon), call('expr')),
  ],
  conditionalOr: [call('conditionalAnd'), star(token(Token.LogicalOr), call('conditionalAnd'))],
  conditionalAnd: [call('relation'), star(token(Token.LogicalAnd), call('relation'))],
  relation: [
    call('calc'),
    predictedStar(
      precedence(1),
      set(Token.Less, Token.LessEquals, Token.GreaterEquals, Token.Greater, Token.Equals, Token.NotEquals, Token.In),
      call('relation', 2),
    ),
  ],
  calc: [
    call('unary'),
    predictedStar(
      choice({
        product: [precedence(2), set(Token.Star, Token.Slash, Token.Percent), call('calc', 3)],
        sum: [precedence(1), set(Token.Plus, Token.Minus), call('calc', 2)],
      }),
    ),
  ],
  unary: [
    choice({
      memberExpr: [call('member')],
      logicalNot: [plus(token(Token.Exclamation)), call('member')],
      negate: [predictedPlus(token(Token.Minus)), call('member')],
    }),
  ],
  member: [
    call('primary'),
    predictedStar(
      choice({
        select: [precedence(3), token(Token.Dot), option(token(Token.QuestionMark)), call('escapeIdent')],
        memberCall: [
          precedence(2),
          token(Token.Dot),
          token(Token.Identifier),
          token(Token.LeftParen),
          option(call('exprList')),
          token(Token.RightParen),
        ],
        index: [
          precedence(1),
          token(Token.LeftBracket),
          option(token(Token.QuestionMark)),
          call('expr'),
          token(Token.RightBracket),
        ],
      }),
    ),
  ],
  primary: [
    choice({
      ident: [option(token(Token.Dot)), token(Token.Identifier)],
      globalCall: [
        option(token(Token.Dot)),
        token(Token.Identifier),
        token(Token.LeftParen),
        option(call('exprList')),
        token(Token.RightParen),
      ],
      nested: [token(Token.LeftParen), call('expr'), token(Token.RightParen)],
      createList: [
        token(Token.LeftBracket),
        option(call('listInit')),
        option(token(Token.Comma)),
        token(Token.RightBracket),
      ],
      createMap: [
        token(Token.LeftBrace),
        option(call('mapInitializerList')),
        option(token(Token.Comma)),
        token(Token.RightBrace),
      ],
      createMessage: [
        option(token(Token.Dot)),
        token(Token.Identifier),
        star(token(Token.Dot), token(Token.Identifier)),
        token(Token.LeftBrace),
        option(call('fieldInitializerList')),
        option(token(Token.Comma)),
        token(Token.RightBrace),
      ],
      constant: [call('literal')],
    }),
  ],
  exprList: [call('expr'), star(token(Token.Comma), call('expr'))],
  listInit: separated(call('optExpr')),
  fieldInitializerList: separated(call('optField'), token(Token.Colon), call('expr')),
  optField: [option(token(Token.QuestionMark)), call('escapeIdent')],
  mapInitializerList: separated(call('optExpr'), token(Token.Colon), call('expr')),
  escapeIdent: [
    {
      kind: 'choice',
      alternatives: [
        { label: 'simple', body: [token(Token.Identifier)] },
        { label: 'escaped', body: [token(Token.EscapedIdentifier)] },
      ],
      oneToken: true,
    },
  ],
  optExpr: [option(token(Token.QuestionMark)), call('expr')],
  literal: [
    choice({
      int: [option(token(Token.Minus)), token(Token.Int)],
      uint: [token(Token.Uint)],
      double: [option(token(Token.Minus)), token(Token.Float)],
      string: [token(Token.String)],
      bytes: [token(Token.Bytes)],
      true: [token(Token.True)],
      false: [token(Token.False)],
      null: [token(Token.Null)],
    }),
  ],
};

/** Builds the network of the language's grammar. It is needed for syntax errors only. */
export function buildGrammar(): Network {
  return buildNetwork(GRAMMAR);
}
