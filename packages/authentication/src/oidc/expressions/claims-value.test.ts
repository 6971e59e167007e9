import { expect, it } from 'vitest';
import { claimsValue, userValue } from './claims-value.js';
import { ExpressionCompiler, evaluate } from './expression-compiler.js';

const compiler = new ExpressionCompiler();
const CLAIMS = {
  sub: 'alice',
  'a.b': 'dotted',
  none: null,
  nested: { 'x/y': 'z', list: ['a'] },
  escaped: { a__dot__b: 1 },
};
const USER = { name: 'alice', groups: ['a'], extra: {} };

/** The value of an expression, or its error without its own text. */
function outcome(text: string, variable: 'claims' | 'user', claims: Record<string, unknown> = CLAIMS): unknown {
  const compiled = compiler.compile(text, variable, false);
  if ('error' in compiled) return compiled.error;
  try {
    return evaluate(compiled, variable === 'claims' ? claimsValue(claims) : userValue(USER));
  } catch (error) {
    return String(error).replace(/^.*resulted in error: /, '');
  }
}

it.each<[text: string, outcome: unknown]>([
  ['claims.sub', 'alice'],
  ['claims.a__dot__b', 'dotted'],
  ['claims.nested.x__slash__y', 'z'],
  ['has(claims.none)', true],
  ['"sub" in claims', 'no such overload'],
  ['"list" in claims.nested', true],
  ['"x__slash__y" in claims.nested', false],
  ['"x/y" in claims.nested', true],
  ['claims.escaped == {"a__dot__b": 1.0}', true],
  ['claims.escaped["a__dot__b"]', 'no such key: a__dot__b'],
  ['{"a__dot__b": 1.0} == claims.escaped', false],
  ['size(claims)', 'no such overload: size'],
  ['size(claims.nested)', 2],
  ['claims in [claims]', true],
  ['claims == claims', true],
  ['claims == {}', 'no such overload'],
  ['claims == dyn(1)', 'no such overload'],
  ['string(type(claims) == map)', 'false'],
  ['claims.exists(c, c == "alice")', true],
  ['claims.exists(c, type(c) == null_type)', true],
  ['[1].map(x, claims[?claims.nested])', 'invalid qualifier type: *oidc.unescapeMapper'],
  ['{"a": 1}[claims.nested.list]', 'invalid qualifier type: *oidc.unescapeLister'],
])('evaluates %s to %j', (text, expected) => expect(outcome(text, 'claims')).toEqual(expected));

it('has no value for a claim whose name is a wrong escape', () => {
  expect(outcome('claims.all(c, c != "")', 'claims', { __odd__x: 'a' })).toBe('no such key: __odd__x');
});

it('has neither a size nor keys of a user', () => {
  expect(['size(user.groups)', '"a" in user.groups', 'type(user) == map'].map((text) => outcome(text, 'user'))).toEqual(
    [1, true, false],
  );
});
