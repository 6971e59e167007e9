import { messageOf } from '@apiserver/apimachinery/errors';
import { expect, it } from 'vitest';
import { checkIdToken } from './check-id-token.js';

const CLAIMS = { iss: 'https://x', aud: 'client', exp: 100 };

/** The error of a token at second 50, without its beginning. */
function fault(claims: object, audiences = ['client']): string {
  try {
    checkIdToken({ ...CLAIMS, ...claims }, { issuer: 'https://x', audiences, now: 50_000 });
    return '';
  } catch (error) {
    return messageOf(error).replace(/^oidc: (?:failed to unmarshal claims: )?/, '');
  }
}

const wrong = (what: string, field: string, type: string, struct = 'idToken') =>
  `json: cannot unmarshal ${what} into Go struct field ${struct}.${field} of type ${type}`;

const TOKEN_OF_SOURCE = wrong('array', '_claim_sources.access_token', 'string', 'claimSource');

it.each<[claims: object, fault: string]>([
  [{}, ''],
  [{ EXP: '100' }, ''],
  [{ exp: 1e2 }, ''],
  [{ exp: null }, 'strconv.ParseFloat: parsing "": invalid syntax'],
  [{ iat: null }, 'strconv.ParseFloat: parsing "": invalid syntax'],
  [{ nbf: null }, ''],
  [{ exp: '0x64' }, 'json: invalid number literal, trying to unmarshal "\\"0x64\\"" into Number'],
  [{ exp: [1] }, wrong('array', 'exp', 'json.Number')],
  [{ aud: ['client', null] }, ''],
  [{ aud: ['client', 7] }, wrong('number', 'aud', 'string')],
  [{ aud: {} }, wrong('object', 'aud', '[]string')],
  // The first of several, unless a time or an audience is wrong too.
  [{ nonce: {}, sub: [] }, wrong('object', 'nonce', 'string')],
  [{ sub: [], nonce: {} }, wrong('array', 'sub', 'string')],
  [{ sub: [], nbf: true }, wrong('bool', 'nbf', 'json.Number')],
  [{ _claim_names: 7 }, wrong('number', '_claim_names', 'map[string]string')],
  [{ _claim_names: { a: 7 } }, wrong('number', '_claim_names', 'string')],
  [{ _claim_sources: [] }, wrong('array', '_claim_sources', 'map[string]oidc.claimSource')],
  [{ _claim_sources: { a: 7 } }, wrong('number', '_claim_sources', 'oidc.claimSource')],
  [{ _claim_sources: { a: { Endpoint: 7 } } }, wrong('number', '_claim_sources.endpoint', 'string', 'claimSource')],
  [{ _claim_sources: { a: { endpoint: null, access_token: [], JWT: 7 } } }, TOKEN_OF_SOURCE],
  // Times that Go's own wraps around.
  [{ exp: 9223371974719177000 }, ''],
  [{ nbf: 1e20 }, ''],
  [{ _claim_names: { a: null } }, 'failed to obtain source from claim name'],
  [{ _claim_names: { a: 's' }, _claim_sources: { s: null } }, ''],
])('says about %j: %s', (claims, expected) => expect(fault(claims)).toBe(expected));

it('checks one audience before the times, and several behind them', () => {
  const claims = { aud: 'x', exp: 1 };
  expect([fault(claims), fault(claims, ['b', 'client'])]).toEqual([
    'expected audience "client" got ["x"]',
    'token is expired (Token Expiry: 1970-01-01 00:00:01 +0000 UTC)',
  ]);
});

it.each([9223371974719180800, 1e20, '1e20', 1e300, -1e20])(
  'takes a token that expires at %j for expired, as Go',
  (exp) => expect(fault({ exp })).toContain('token is expired'),
);

it('refuses every token where no audience is expected', () => expect(fault({}, [])).toContain('expected audience'));
