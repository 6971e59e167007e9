import type { Random } from '../../watch/random.ts';
import { mutated } from '../mutated-text.ts';
import { RandomExpression, type TypedPath } from './random-expression.ts';
import { pathsOf } from './typed-paths.ts';

const ISSUER = 'https://issuer.example';

/** Paths into the claims of `randomPayload`. */
const CLAIMS: readonly TypedPath[] = pathsOf({
  string: [
    'claims.sub',
    'claims.email',
    'claims.roles[0]',
    'claims["sub"]',
    'claims.nested.name',
    'claims.a__dot__b',
    'claims["a.b"]',
    'claims.nested.x__slash__y',
    'claims.items[0].name',
    'claims.hd',
    'claims.aud',
  ],
  strings: ['claims.roles', 'claims.nested.list', 'claims.items.map(i, i.name)', 'claims.map(c, c)'],
  double: ['claims.exp', 'claims.n', 'claims.nested.n', 'claims.exp - claims.n'],
  int: ['int(claims.n)', 'size(claims)', 'size(claims.roles)'],
  any: ['claims', 'claims.nested', 'claims.items', 'claims.none', 'claims.missing', 'claims.items[0]', 'claims[1]'],
  anys: ['claims.items', 'claims.mixed'],
  map: ['claims.counts', 'claims.nested'],
  bool: [
    'has(claims.sub)',
    'has(claims.nested.name)',
    '"sub" in claims',
    '"a.b" in claims.nested',
    '"x__slash__y" in claims.nested',
    'claims.nested == {"x__slash__y": "x", "x/y": "x"}',
    'claims.email_verified',
    'claims == claims',
    'claims.nested == {"name": "n"}',
    'claims.all(c, c != "")',
    'claims.roles.exists(r, r == "admin")',
    'claims.?email_verified.orValue(true)',
    'claims in [claims]',
    'claims.email_verified == true',
  ],
  optionalString: ['claims.?sub', 'claims[?"email"]', 'claims.?nested.?name', 'claims.nested.?missing'],
  type: ['type(claims)', 'type(claims.n)', 'type(claims.nested)'],
});

/** Paths into a user. */
const USER: readonly TypedPath[] = pathsOf({
  string: ['user.username', 'user.uid', 'user.groups[0]', 'user.extra["example.com/a"][0]', 'user.extra["x"][0]'],
  strings: [
    'user.groups',
    'user.extra["example.com/a"]',
    'user.extra.map(k, k)',
    'user.extra.example__dot__com__slash__a',
  ],
  bool: [
    'has(user.uid)',
    'has(user.extra.x)',
    '"admin" in user.groups',
    'user.username.startsWith("system:")',
    'user.groups.all(g, !g.startsWith("system:"))',
    'user == user',
  ],
  int: ['size(user.groups)', 'size(user.extra)', 'size(user.username)'],
  any: ['user', 'user.extra', 'user.missing'],
  optionalString: ['user.?uid', 'user.extra[?"x"][?0]', 'user.groups[?0]'],
});

/** A configuration of one issuer and a token of it, whose signature counts as valid. */
export interface TokenCase {
  readonly rule: 'token';
  readonly configuration: string;
  readonly token: string;
}

type Claims = Record<string, unknown>;

function some(random: Random, members: Claims, probability: number): Claims {
  return Object.fromEntries(Object.entries(members).filter(() => random.chance(probability)));
}

export function randomToken(random: Random): TokenCase {
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [randomIssuer(random)],
  };
  const header = Buffer.from(JSON.stringify({ alg: 'RS256' })).toString('base64url');
  const payload = Buffer.from(randomPayload(random)).toString('base64url');
  return { rule: 'token', configuration: JSON.stringify(configuration), token: `${header}.${payload}.AA` };
}

function randomIssuer(random: Random): object {
  const claims = new RandomExpression(random, CLAIMS);
  const user = new RandomExpression(random, USER);
  const text = () => random.of(['string', 'string', 'string', 'any', 'optionalString']);
  const texts = () => random.of(['strings', 'strings', 'string', 'any', 'anys']);
  const claim = () => random.of(['sub', 'email', 'roles', 'n', 'none', 'missing', 'email_verified', 'a.b']);
  const rules = (make: () => object) => Array.from({ length: random.below(3) }, make);
  const mapping = (type: string) => ({ expression: claims.text(type) });
  const prefix = random.of(['', 'p:']);
  return {
    issuer: { url: ISSUER, audiences: random.of([['client'], ['client', 'b']]) },
    claimMappings: {
      username: random.chance(0.7) ? mapping(text()) : { claim: claim(), prefix },
      ...(random.chance(0.6) && {
        groups: random.chance(0.7) ? mapping(texts()) : { claim: claim(), prefix },
      }),
      ...(random.chance(0.4) && { uid: random.chance(0.6) ? mapping(text()) : { claim: claim() } }),
      ...(random.chance(0.4) && {
        extra: ['example.com/a', 'example.com/b']
          .filter(() => random.chance(0.7))
          .map((key) => ({ key, valueExpression: claims.text(texts()) })),
      }),
    },
    claimValidationRules: rules(() =>
      random.chance(0.3)
        ? { claim: claim(), requiredValue: random.of(['x', '', 'admin']) }
        : { expression: claims.text('bool'), message: random.of(['', 'refused']) },
    ),
    userValidationRules: rules(() => ({ expression: user.text('bool'), message: random.of(['', 'refused']) })),
  };
}

function randomPayload(random: Random): string {
  const text = () => random.of(['alice', 'admin', '', 'system:x', 'a@b', 'é😀', 'x']);
  const list = () => Array.from({ length: random.below(4) }, text);
  const odd = () => random.of<unknown>([null, 1, 1.5, '', 'x', [], {}, true, [null], ['a', 1], 2 ** 60]);
  const nested = () =>
    some(random, { name: text(), n: random.of([0, 1.5, -3]), list: list(), 'x/y': text(), 'a.b': 1 }, 0.7);
  const claims: Claims = {
    iss: random.chance(0.97) ? ISSUER : odd(),
    aud: random.of<unknown>(['client', ['client'], ['b', 'client'], 'client', random.chance(0.1) ? odd() : 'client']),
    exp: random.chance(0.95) ? 4_000_000_000 : odd(),
    ...some(
      random,
      {
        sub: text(),
        email: text(),
        email_verified: random.chance(0.8),
        roles: list(),
        n: random.of([0, 7, -1.5, 1e21, 2 ** 53]),
        nested: nested(),
        items: [nested(), { name: text() }],
        mixed: [1, 'a', null, [true]],
        counts: { a: 1, b: 2.5 },
        none: null,
        hd: text(),
        'a.b': text(),
        jti: random.chance(0.9) ? text() : odd(),
        iat: random.of([1, 1.5]),
        nbf: random.of([1, 0]),
        __proto__x: 1,
      },
      0.8,
    ),
    ...(random.chance(0.05) && {
      _claim_names: random.of<unknown>([{ roles: 'a' }, { x: 'b' }, { roles: '' }, odd(), {}]),
      _claim_sources: random.of<unknown>([{ a: {} }, { b: null }, { a: 1 }, odd()]),
    }),
    ...(random.chance(0.15) && {
      [random.of(['sub', 'roles', 'email', 'ISS', 'Sub', 'nonce', 'exp', 'iat'])]: odd(),
    }),
  };
  const json = JSON.stringify(claims);
  if (random.chance(0.04)) return mutated(random, json);
  // A claim that comes twice, or a number that is written in another way.
  if (random.chance(0.05)) return json.replace('{', `{"hd":${JSON.stringify(odd())},"n":7,`);
  return random.chance(0.1)
    ? json.replace(/"n":0/, `"n":${random.of(['-0', '0.0', '1E2', '1e-7', '12345678901234567890'])}`)
    : json;
}
