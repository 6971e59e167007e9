/** A configuration file of one issuer, with differences by field. */
interface JwtFields {
  readonly issuer?: object;
  readonly claimMappings?: object;
  readonly claimValidationRules?: readonly object[];
  readonly userValidationRules?: readonly object[];
}

const usual = {
  issuer: { url: 'https://issuer.example', audiences: ['client'] },
  claimMappings: { username: { claim: 'sub', prefix: '' } },
};

/** A file with one issuer. */
function fileOf({ issuer, claimMappings, ...rest }: JwtFields): string {
  const jwt = {
    issuer: { ...usual.issuer, ...issuer },
    claimMappings: { ...usual.claimMappings, ...claimMappings },
    ...rest,
  };
  return configuration({ jwt: [jwt] });
}

function configuration(fields: object, version = 'v1'): string {
  return JSON.stringify({
    apiVersion: `apiserver.config.k8s.io/${version}`,
    kind: 'AuthenticationConfiguration',
    ...fields,
  });
}

const expression = (text: string) => fileOf({ claimMappings: { username: { expression: text } } });
const issuer = (fields: object) => fileOf({ issuer: fields });
const mappings = (fields: object) => fileOf({ claimMappings: fields });
const rules = (...claimValidationRules: object[]) => fileOf({ claimValidationRules });
const userRules = (...userValidationRules: object[]) => fileOf({ userValidationRules });

/** Issuers that no configuration may name. */
export const disallowedIssuers = ['https://own.example', 'https://a.example'];

/** Files, right and wrong. */
export const configurations: readonly string[] = [
  fileOf({}),
  configuration({ jwt: [] }, 'v1beta1'),
  configuration({}, 'v1alpha1'),
  configuration({}, 'v2'),
  'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt:\n- issuer:\n    url: https://x.example\n    url: https://y.example\n',
  'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\nunknown: 1\n',
  'kind: AuthenticationConfiguration\n',
  'apiVersion: apiserver.config.k8s.io/v1\n',
  configuration({ jwt: 7 }),
  configuration({ anonymous: { enabled: false, conditions: [{ path: '/livez' }] } }),
  configuration({ anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }),
  configuration({ jwt: Array.from({ length: 65 }, () => ({})) }),
  configuration({ jwt: [{}, {}] }),
  configuration({ jwt: [usual, { ...usual, issuer: { ...usual.issuer, discoveryURL: 'https://d.example' } }] }),
  configuration({
    jwt: ['a', 'b'].map((name) => ({
      ...usual,
      issuer: { ...usual.issuer, url: `https://${name}b.example`, discoveryURL: 'https://d.example/x' },
    })),
  }),
  issuer({ url: '' }),
  issuer({ url: 'https://own.example' }),
  issuer({ url: 'http://issuer.example' }),
  issuer({ url: 'https://user:word@issuer.example?x=1#y' }),
  issuer({ url: 'https://issuer.example:x/' }),
  issuer({ url: ':' }),
  issuer({ url: 'issuer' }),
  issuer({ discoveryURL: 'https://issuer.example//' }),
  issuer({ discoveryURL: 'http://issuer.example/x?y' }),
  issuer({ audiences: [] }),
  issuer({ audiences: ['a', '', 'a'] }),
  issuer({ audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAny' }),
  issuer({ audiences: ['a', 'b'], audienceMatchPolicy: 'MatchAll' }),
  issuer({ audienceMatchPolicy: 'MatchAny' }),
  issuer({ audienceMatchPolicy: 'Match<All' }),
  issuer({ certificateAuthority: 'nothing' }),
  issuer({ egressSelectorType: 'controlplane' }),
  issuer({ egressSelectorType: 'etcd' }),
  rules({}),
  rules({ claim: 'a', expression: 'true' }),
  rules({ claim: 'a', requiredValue: 'b' }, { claim: 'a' }),
  rules({ claim: 'a', message: 'm' }),
  rules({ expression: 'true', requiredValue: 'b' }, { expression: 'true' }),
  rules({ expression: 'claims.a' }, { expression: '"x"' }, { expression: 'claims.' }, { expression: 'user.x == 1' }),
  rules({ expression: 'claims.a == "b"', message: 'm' }),
  mappings({ username: {} }),
  mappings({ username: { claim: 'a' } }),
  mappings({ username: { claim: 'a', prefix: '', expression: 'claims.a' } }),
  mappings({ username: { expression: 'claims.a', prefix: 'x' } }),
  mappings({ groups: { claim: 'a' } }),
  mappings({ groups: { expression: 'foo(1)' } }),
  mappings({ uid: { claim: 'a', expression: 'claims.a' } }),
  mappings({ uid: { expression: '1 +' } }),
  mappings({ extra: [{ key: '', valueExpression: '' }] }),
  mappings({ extra: [{ key: 'Example.org/Foo', valueExpression: 'claims.a' }] }),
  mappings({ extra: [{ key: 'x.k8s.io/foo', valueExpression: '"a"' }, { key: 'kubernetes.io/a' }, { key: 'foo' }] }),
  mappings({
    extra: [
      { key: 'example.org/foo', valueExpression: 'claims.a' },
      { key: 'example.org/foo', valueExpression: 'claims.b' },
    ],
  }),
  expression('claims.email'),
  expression('claims.?email.orValue("x")'),
  expression('has(claims.email) ? claims.email : "x"'),
  expression('claims["email"]'),
  expression('claims.email + (claims.email_verified ? "" : "no")'),
  expression('[claims.email][0]'),
  expression('{"a": claims.email}.a'),
  expression('["a"].map(x, x + claims.email)[0]'),
  fileOf({
    claimMappings: { username: { expression: 'claims.email' } },
    claimValidationRules: [{ expression: 'claims.?email_verified.orValue(true) == true' }],
  }),
  fileOf({
    claimMappings: {
      username: { expression: 'claims.email' },
      extra: [{ key: 'example.org/v', valueExpression: 'string(claims.email_verified)' }],
    },
  }),
  userRules({}, { expression: 'user.username' }, { expression: 'user.nothing == 1' }, { expression: 'claims.a == 1' }),
  userRules({ expression: 'true' }, { expression: 'true' }),
  userRules({ expression: "!user.username.startsWith('system:')", message: 'reserved' }),
];

/** A token that a configuration of one issuer gets. Its signature counts as valid. */
export interface TokenCase {
  readonly configuration: string;
  readonly claims: unknown;
  readonly header?: object;
}

const byName = (claims: object, header?: object): TokenCase => ({
  configuration: fileOf({
    claimMappings: { username: { claim: 'sub', prefix: 'p:' }, groups: { claim: 'groups', prefix: 'g:' } },
  }),
  claims,
  ...(header && { header }),
});
const evaluated = (username: string, claims: object = {}): TokenCase => ({
  configuration: expression(username),
  claims,
});
const grouped = (groups: string, claims: object = {}): TokenCase => ({
  configuration: mappings({ groups: { expression: groups } }),
  claims,
});
const ruled = (rule: string, claims: object = {}): TokenCase => ({
  configuration: rules({ expression: rule, message: 'the message' }),
  claims,
});
const userRuled = (rule: string, claims: object = {}): TokenCase => ({
  configuration: fileOf({
    claimMappings: {
      groups: { expression: '["a", "b"]' },
      uid: { expression: '"u1"' },
      extra: [{ key: 'example.org/foo.bar', valueExpression: '["x", "", "y"]' }],
    },
    userValidationRules: [{ expression: rule, message: 'the message' }],
  }),
  claims,
});
const extra = (valueExpression: string, claims: object = {}): TokenCase => ({
  configuration: mappings({ extra: [{ key: 'example.org/foo', valueExpression }] }),
  claims,
});
const email = (claims: object): TokenCase => ({
  configuration: mappings({ username: { claim: 'email', prefix: '' } }),
  claims,
});
const nested = {
  a: { b: [{ 'c.d': 1, 'e-f': true }], n: null },
  'x.y': 'dotted',
  x__y: 'under',
  n: 1.5,
  i: 7,
  l: ['p', 'q'],
};

/** Tokens and their configurations. */
export const tokens: readonly TokenCase[] = [
  byName({}),
  byName({ groups: ['a', 'b'], jti: 'id' }),
  byName({ groups: 'one' }),
  byName({ groups: [] }),
  byName({ groups: null }),
  byName({ groups: ['a', 7] }),
  byName({ groups: { a: 1 } }),
  byName({ groups: 7 }),
  byName({ sub: 7 }),
  byName({ sub: undefined }),
  byName({ sub: null }),
  byName({ jti: 7 }),
  byName({ jti: '' }),
  byName({ iss: 'https://else.example' }),
  byName({ iss: 7 }),
  byName({ aud: ['x', 'client'] }),
  byName({ aud: ['x', 'y'] }),
  byName({ aud: undefined }),
  byName({ aud: 7 }),
  byName({ aud: ['client', 7] }),
  byName({ exp: 1 }),
  byName({ exp: undefined }),
  byName({ exp: 'soon' }),
  byName({ exp: '99999999999' }),
  byName({ exp: 99999999999.5 }),
  byName({ exp: { a: 1 } }),
  byName({ exp: null }),
  byName({ exp: '0x7' }),
  byName({ exp: 'soon', sub: 7 }),
  byName({ nbf: null, iat: null }),
  byName({ aud: ['client', null] }),
  byName({ nonce: {}, sub: [] }),
  byName({ exp: 9223371974719177000, nbf: 1e20 }),
  byName({ _claim_sources: { s: { endpoint: 7 } } }),
  byName({ _claim_sources: { s: { Access_Token: [] } } }),
  byName({ nonce: 7 }),
  byName({ _claim_names: { groups: '' } }),
  byName({ _claim_names: { groups: 's' } }),
  byName({ _claim_names: { groups: 's' }, _claim_sources: { s: { JWT: 'x' } } }),
  byName({ _claim_names: { other: 's' }, _claim_sources: { s: { endpoint: 'https://x.example' } } }),
  byName({ _claim_names: [] }),
  // Names of claims count with their case, where claims are mapped.
  byName({ sub: undefined, SUB: 'bob' }),
  byName({ Sub: 'bob' }),
  { configuration: mappings({ uid: { claim: 'Id' } }), claims: { id: 'u' } },
  { configuration: rules({ claim: 'HD', requiredValue: 'example.com' }), claims: { hd: 'example.com' } },
  email({ email: 'a@example.com', Email_Verified: false }),
  evaluated('has(claims.Sub) ? "upper" : "lower"'),
  // Go's decoder of structs reads the registered ones without regard to it.
  byName({ iss: undefined, Iss: 'https://issuer.example' }),
  byName({ Iss: 'https://else.example' }),
  byName({ aud: undefined, AUD: 'client' }),
  byName({ AUD: 'other' }),
  byName({ exp: undefined, Exp: 99999999999 }),
  byName({ EXP: 1 }),
  byName({ NBF: 'soon' }),
  byName({}, { alg: 'HS256' }),
  byName({}, { alg: 'none' }),
  byName({}, { alg: '' }),
  byName({}, { kid: 'k' }),
  email({ email: 'a@example.com' }),
  email({ email: 'a@example.com', email_verified: true }),
  email({ email: 'a@example.com', email_verified: false }),
  email({ email: 'a@example.com', email_verified: 'true' }),
  { configuration: mappings({ uid: { claim: 'id' } }), claims: { id: 'u' } },
  { configuration: mappings({ uid: { claim: 'id' } }), claims: {} },
  { configuration: mappings({ uid: { expression: 'claims.id' } }), claims: { id: 'u' } },
  { configuration: mappings({ uid: { expression: 'claims.id' } }), claims: { id: 7 } },
  { configuration: rules({ claim: 'hd', requiredValue: 'example.com' }), claims: {} },
  { configuration: rules({ claim: 'hd', requiredValue: 'example.com' }), claims: { hd: 'example.org' } },
  { configuration: rules({ claim: 'hd', requiredValue: 'example.com' }), claims: { hd: ['example.com'] } },
  { configuration: rules({ claim: 'hd', requiredValue: 'example.com' }), claims: { hd: 'example.com' } },
  evaluated('claims.sub + ":x"'),
  evaluated('claims.nothing'),
  evaluated('claims.n', nested),
  evaluated('""'),
  evaluated('claims.x__dot__y', nested),
  evaluated('claims["x.y"]', nested),
  evaluated('claims.x__underscores__y', nested),
  evaluated('claims.a.b[0].c__dot__d == 1.0 ? "yes" : "no"', nested),
  evaluated('claims.a.b[0]["c.d"] == 1 ? "yes" : "no"', nested),
  evaluated('claims.a.b[0].e__dash__f ? "yes" : "no"', nested),
  evaluated('string(claims.i)', nested),
  evaluated('string(claims.n)', nested),
  evaluated('type(claims.i) == double ? "double" : "other"', nested),
  evaluated('has(claims.a.n) ? "has" : "lacks"', nested),
  evaluated('claims.a.n == null ? "null" : "other"', nested),
  evaluated('claims.?a.?z.orValue("none")', nested),
  evaluated('has(claims.zz) ? "has" : "lacks"', nested),
  evaluated('claims.l.join(",")', nested),
  evaluated('claims.l.exists(x, x == "q") ? "q" : "-"', nested),
  evaluated('claims.i + 1 == 8 ? "8" : "?"', nested),
  evaluated('claims.i + 1.0 == 8.0 ? "8" : "?"', nested),
  evaluated('claims.exp - claims.iat > 10 ? "long" : "short"', { iat: 1 }),
  evaluated('claims.a.map(k, k)[0]', nested),
  evaluated('claims.a.b[1].x', nested),
  evaluated('claims.sub.matches("^a.*e$") ? "m" : "-"'),
  evaluated('claims.sub / 2'),
  grouped('claims.roles.split(",")', { roles: 'a,b' }),
  grouped('claims.roles', { roles: 'a' }),
  grouped('claims.roles', { roles: '' }),
  grouped('claims.roles', { roles: ['a', '', 'b'] }),
  grouped('claims.roles', { roles: [] }),
  grouped('claims.roles', { roles: null }),
  grouped('claims.roles', { roles: ['a', 1] }),
  grouped('claims.roles', { roles: true }),
  grouped('claims.roles', { roles: { a: 'b' } }),
  grouped('claims.roles.filter(r, r.startsWith("k8s:"))', { roles: ['k8s:a', 'b'] }),
  grouped('"roles" in claims ? claims.roles : []', {}),
  grouped('has(claims.roles) ? claims.roles.map(r, "x:" + r) : []', { roles: ['a'] }),
  grouped('[claims.sub, "b"]'),
  grouped('[dyn(optional.of(claims.sub)), dyn("b"), dyn(optional.of(""))]'),
  grouped('[optional.ofNonZeroValue(dyn(""))]'),
  grouped('claims.roles.split(",").map(x, x)', { roles: 'a,b' }),
  grouped('(claims.roles.split(",") + ["c"]).sort()', { roles: 'b,a' }),
  grouped('claims.roles + ["x"]', { roles: ['a'] }),
  grouped('claims.all(x, x != "none") ? "all" : "some"'),
  grouped('claims.exists(x, x == "sub") ? "keys" : "values"'),
  grouped('claims.map(x, x).exists(x, x == "alice") ? "values" : "keys"'),
  grouped('dyn(claims).sub'),
  grouped('claims.o == {"a": 1.0} ? "eq" : "ne"', { o: { a: 1 } }),
  grouped('"a" in claims.o ? "in" : "out"', { o: { a: 1 } }),
  grouped('size(claims.o) == 1 ? "1" : "n"', { o: { a: 1 } }),
  grouped('claims[?"zz"].orValue("none")'),
  grouped('claims.l.sum() == 3.0 ? "3" : "n"', { l: [1, 2] }),
  grouped('claims.l.sort()', { l: ['b', 'a'] }),
  grouped('{"x": claims.l}.x', { l: ['b', 'a'] }),
  grouped('dyn(claims.l).map(x, x + "!")', { l: ['b', 'a'] }),
  grouped('dyn(claims.o).map(k, k)', { o: { a: 1 } }),
  grouped('cel.bind(x, claims.sub, x)'),
  grouped('claims.roles.findAll("[a-z]+")', { roles: 'a,b' }),
  grouped('size(claims) > 0 ? "some" : "none"'),
  ruled('claims.hd == "example.com"', { hd: 'example.com' }),
  ruled('claims.hd == "example.com"', { hd: 'example.org' }),
  ruled('claims.hd == "example.com"', {}),
  ruled('claims.exp - claims.nbf <= 86400', { nbf: 5, exp: 86000 }),
  userRuled("!user.username.startsWith('system:')"),
  userRuled("!user.username.startsWith('a')"),
  userRuled("user.groups.all(group, !group.startsWith('system:'))"),
  userRuled('user.uid == "u1" && size(user.groups) == 2'),
  userRuled('user.extra["example.org/foo.bar"] == ["x", "y"]'),
  userRuled('user.extra.example__dot__org__slash__foo__dot__bar[1] == "y"'),
  userRuled('user.extra["nothing"] == ["x"]'),
  userRuled('has(user.uid)'),
  extra('claims.a', { a: 'x' }),
  extra('claims.a', { a: ['x', 'y'] }),
  extra('claims.a', { a: 7 }),
  extra('"true"'),
  extra('has(claims.a) ? claims.a : ""'),
];

/** Expressions that succeed here, and fail upstream when they are evaluated, with the reason. */
export const moreThanUpstream: ReadonlyMap<string, string> = new Map([
  ['claims.roles.split(",")', 'the documentation of upstream has it, but its result is a list of Go strings'],
  ['claims.roles.findAll("[a-z]+")', 'the same'],
]);
