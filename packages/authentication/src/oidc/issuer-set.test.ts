import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { systemClock } from '@apiserver/apimachinery/clock';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { hashIfNotEmpty, MetricsRegistry } from '@apiserver/component-base/metrics';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keySet, makeIssuerKey, signTestToken, startTestIssuer, type TestIssuer } from '../testing/index.js';
import {
  type EgressLookup,
  ExpressionCompiler,
  IssuerSet,
  type JwtConfiguration,
  OidcMetrics,
  validateConfiguration,
} from './index.js';

const ALL = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'];
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function issuerAt(path = ''): Promise<TestIssuer> {
  const issuer = await startTestIssuer(path);
  open.push(() => issuer[Symbol.asyncDispose]());
  return issuer;
}

function configured(issuer: TestIssuer, changes: JwtConfiguration = {}): JwtConfiguration {
  return {
    claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: '' } },
    ...changes,
    issuer: { url: issuer.url, audiences: ['client'], certificateAuthority: issuer.authority, ...changes.issuer },
  };
}

interface Differences {
  readonly egress?: EgressLookup;
  readonly algorithms?: readonly string[];
  readonly clock?: typeof systemClock;
}

/** A clock that tests advance. Nothing is scheduled: discovery is not tried again. */
function steppedClock() {
  const clock = { time: Date.now(), now: () => clock.time, schedule: systemClock.schedule };
  return clock;
}

async function started(jwt: readonly JwtConfiguration[], how: Differences = {}) {
  const registry = new MetricsRegistry();
  const { logger, lines } = createTestLogger();
  const lifetime = new AbortController();
  open.push(() => lifetime.abort());
  const context = { compiler: new ExpressionCompiler(), disallowedIssuers: [], egressSelector: true };
  const { issuers, errors } = validateConfiguration({ jwt }, context);
  expect(errors).toEqual([]);
  const set = new IssuerSet(issuers, {
    algorithms: ALL,
    environment: {},
    clock: systemClock,
    logger,
    signal: lifetime.signal,
    ...how,
    metrics: new OidcMetrics(registry, { serverId: 'server', now: Date.now, keySets: true }),
  });
  await set.start();
  return { set, lines, registry };
}

async function outcome(set: IssuerSet, token: string): Promise<unknown> {
  try {
    return (await set.authenticateToken(token))?.user;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('an issuer', () => {
  it('proves the users of its tokens', async () => {
    const issuer = await issuerAt();
    const { set } = await started([configured(issuer)]);
    const token = issuer.token({ groups: ['dev', 'ops'], jti: 'id1' });
    expect(await outcome(set, token)).toEqual({
      name: 'oidc:alice',
      groups: ['dev', 'ops'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id1'] },
    });
    expect(await outcome(set, issuer.token({ iss: 'https://else.example' }))).toBeUndefined();
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it.each(ALL)('signs with %s', async (alg) => {
    const issuer = await issuerAt();
    issuer.keys = [makeIssuerKey('k', alg)];
    const { set } = await started([configured(issuer)]);
    expect(await outcome(set, issuer.token())).toMatchObject({ name: 'oidc:alice' });
  });
});

describe('the keys of an issuer', () => {
  it('are fetched again for a token of a new key', async () => {
    const issuer = await issuerAt();
    const [old] = issuer.keys;
    const { set } = await started([configured(issuer)]);
    expect(await outcome(set, issuer.token())).toMatchObject({ name: 'oidc:alice' });
    const next = makeIssuerKey('k2', 'RS256');
    issuer.keys = [next, ...issuer.keys];
    expect(await outcome(set, issuer.token())).toMatchObject({ name: 'oidc:alice' });
    expect(await outcome(set, issuer.token({}, { ...(old && { key: old }) }))).toMatchObject({ name: 'oidc:alice' });
    expect(issuer.requests.filter((path) => path === '/keys').length).toBe(2);
  });

  it('are fetched once for many tokens of one time', async () => {
    const issuer = await issuerAt();
    const { set } = await started([configured(issuer)]);
    const tokens = ['a', 'b', 'c'].map((sub) => outcome(set, issuer.token({ sub })));
    expect((await Promise.all(tokens)).length).toBe(3);
    expect(issuer.requests.filter((path) => path === '/keys').length).toBe(1);
  });

  it('are kept as long as the issuer says, and while it is down', async () => {
    const issuer = await issuerAt();
    issuer.keySetHeaders = { 'cache-control': 'public, max-age=300' };
    const clock = steppedClock();
    const { set } = await started([configured(issuer)], { clock });
    const token = issuer.token();
    const stranger = issuer.token({}, { key: makeIssuerKey('k9') });
    expect(await outcome(set, token)).toMatchObject({ name: 'oidc:alice' });
    expect(await outcome(set, stranger)).toBe(
      'oidc: verify token: failed to verify signature: failed to verify id token signature',
    );
    expect(issuer.requests.filter((path) => path === '/keys').length).toBe(1);
    await issuer.suspend();
    clock.time += 301_000;
    expect(await outcome(set, token)).toMatchObject({ name: 'oidc:alice' });
    expect(await outcome(set, stranger)).toMatch(
      /^oidc: verify token: failed to verify signature: fetching keys oidc: get keys failed Get "https:.*\/keys": dial tcp 127.0.0.1:\d+: connect: connection refused$/,
    );
    await issuer.resume();
    const before = issuer.requests.length;
    // The pause after a failure is not over.
    expect(await outcome(set, stranger)).toMatch(/connection refused$/);
    expect(issuer.requests.length).toBe(before);
    clock.time += 1_001;
    expect(await outcome(set, stranger)).toMatch(/failed to verify id token signature$/);
  });

  it('are fetched again soon after the clock was set back', async () => {
    const issuer = await issuerAt();
    issuer.keySetHeaders = { 'cache-control': 'public, max-age=300' };
    const clock = steppedClock();
    const { set } = await started([configured(issuer)], { clock });
    const later = { now: Date.now() };
    expect(await outcome(set, issuer.token({}, later))).toMatchObject({ name: 'oidc:alice' });
    clock.time -= 1_800_000;
    const next = makeIssuerKey('k2');
    issuer.keys = [next];
    const earlier = { now: clock.time };
    expect(await outcome(set, issuer.token({}, earlier))).toMatchObject({ name: 'oidc:alice' });
    await issuer.suspend();
    const stranger = issuer.token({}, { ...earlier, key: makeIssuerKey('k9') });
    clock.time += 301_000;
    expect(await outcome(set, stranger)).toMatch(/connection refused$/);
    await issuer.resume();
    clock.time -= 1_800_000;
    expect(await outcome(set, issuer.token({ exp: 1e10 }, { now: clock.time, key: makeIssuerKey('k9') }))).toMatch(
      /failed to verify id token signature$/,
    );
  });

  it('may be of other kinds, but not wrong', async () => {
    const issuer = await issuerAt();
    const keys = (more: object) => (_request: unknown, response: { end(text: string): void }) =>
      response.end(JSON.stringify({ Keys: [more, ...(keySet(issuer.keys) as { keys: object[] }).keys] }));
    issuer.handlers.set('/keys', keys({ kty: 'oct', k: 'AAAA', kid: 'k1' }));
    const { set } = await started([configured(issuer)]);
    expect(await outcome(set, issuer.token())).toMatchObject({ name: 'oidc:alice' });
    for (const [wrong, message] of [
      [{ kty: 'AKP' }, "unknown json web key type 'AKP'"],
      [{ kty: 'EC', crv: 'P-192' }, "unsupported elliptic curve 'P-192'"],
      [{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }, 'invalid EC public key, wrong length for x'],
      [{ kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) }, 'X/Y are not on declared curve'],
      [{ kty: 'RSA', n: 'AQAB' }, 'invalid RSA key, missing n/e values'],
      [7, 'a key is no object'],
    ] as const) {
      issuer.handlers.set('/keys', keys(wrong as object));
      const { set: other } = await started([configured(issuer)]);
      expect(await outcome(other, issuer.token())).toContain(message);
    }
  });

  it.each<[string, string, string]>([
    ['too long', `{"keys":[],"x":"${'x'.repeat(1024 * 1024)}"}`, 'the response is larger than 1048576 bytes'],
    ['too many', JSON.stringify({ keys: new Array(1_001).fill({ kty: 'oct' }) }), 'more than 1000 keys'],
    ['no JSON', '<html>', 'expected Content-Type = application/json, got ""'],
    [
      'no list',
      '{"keys":7}',
      'json: cannot unmarshal number into Go struct field JSONWebKeySet.keys of type []jose.JSONWebKey',
    ],
    ['no object', '[]', 'json: cannot unmarshal array into Go value of type jose.JSONWebKeySet'],
  ])('are refused if they are %s', async (_what, text, message) => {
    const issuer = await issuerAt();
    issuer.handlers.set('/keys', (_request, response) => response.end(text));
    const { set } = await started([configured(issuer)]);
    expect(await outcome(set, issuer.token())).toContain(message);
  });

  it('are counted by their last fetch', async () => {
    const issuer = await issuerAt();
    const { set, registry } = await started([configured(issuer)]);
    await outcome(set, issuer.token());
    await outcome(set, issuer.token({ aud: 'x' }));
    const lines = (await registry.expose()).text.split('\n').filter((line) => line.includes('jwt_authenticator'));
    const [server, issued] = [
      `apiserver_id_hash="${hashIfNotEmpty('server')}"`,
      `jwt_issuer_hash="${hashIfNotEmpty(issuer.url)}"`,
    ];
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringContaining(
          `jwks_fetch_last_key_set_info{${server},hash="${hashIfNotEmpty(JSON.stringify(keySet(issuer.keys)))}",${issued}} 1`,
        ),
        expect.stringMatching(
          new RegExp(`jwks_fetch_last_timestamp_seconds{${server},${issued},result="success"} \\d+`),
        ),
        expect.stringContaining(
          `latency_seconds_count{jwt_issuer_hash="${hashIfNotEmpty(issuer.url)}",result="success"} 1`,
        ),
        expect.stringContaining(
          `latency_seconds_count{jwt_issuer_hash="${hashIfNotEmpty(issuer.url)}",result="failure"} 1`,
        ),
      ]),
    );
  });
});

describe('a token', () => {
  it.each<[string, (issuer: TestIssuer) => string, string | undefined]>([
    ['of no signature', (issuer) => `${issuer.token().split('.').slice(0, 2).join('.')}.`, 'failed to verify id token'],
    ['of alg none', (issuer) => issuer.token({}, { header: { alg: 'none' } }), 'unsupported algorithm, expected'],
    ['signed by the public key as a secret', (issuer) => issuer.token({}, { header: { alg: 'HS256' } }), 'got "HS256"'],
    [
      'with a shared key in its header',
      (issuer) => issuer.token({}, { header: { jwk: { kty: 'oct', k: 'AAAA' } } }),
      'oidc: malformed jwt: go-jose/go-jose: invalid embedded jwk, must be public key',
    ],
    ['with an unknown critical header', (issuer) => issuer.token({}, { header: { crit: ['x'], x: 1 } }), 'failed to'],
    ['of another algorithm than its key', (issuer) => issuer.token({}, { header: { alg: 'RS256' } }), 'failed to'],
    ['with a number as key id', (issuer) => issuer.token({}, { header: { kid: 7 } }), 'the header parameter kid is'],
    ['with many dots', (issuer) => issuer.token() + '.'.repeat(10_000), undefined],
    ['of 1 MB', (issuer) => issuer.token({ x: 'x'.repeat(1_000_000) }), undefined],
    ['of deep JSON', (issuer) => issuer.token({ x: JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) }), ''],
    ['of no JSON', () => `${'A'.repeat(20)}.AAAA.AAAA`, undefined],
    ['of a list', (issuer) => signTestToken([1], issuer.keys[0] as never), undefined],
    ['of two issuers', (issuer) => issuer.token({ iss: [issuer.url] }), undefined],
  ])('%s', async (_what, make, message) => {
    const issuer = await issuerAt();
    const { set } = await started([configured(issuer)]);
    const found = await outcome(set, make(issuer));
    if (message === undefined) expect(found).toBeUndefined();
    else if (message === '') expect(found).toMatchObject({ name: 'oidc:alice' });
    else expect(found).toContain(message);
  });

  it('may only have the algorithms of the flag', async () => {
    const issuer = await issuerAt();
    const { set } = await started([configured(issuer)], { algorithms: ['RS256'] });
    expect(await outcome(set, issuer.token())).toBe(
      'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "ES256"',
    );
  });

  it('has an expression evaluated up to its cost', async () => {
    const issuer = await issuerAt();
    const dear = 'dyn(claims.l).exists(x, dyn(claims.l).exists(y, x + y == "never")) ? "a" : "b"';
    const { set } = await started([configured(issuer, { claimMappings: { username: { expression: dear } } })]);
    const found = await outcome(set, issuer.token({ l: new Array(1_000).fill('some text') }));
    expect(found).toMatch(/resulted in error: operation cancelled: actual cost limit exceeded$/);
  });
});

describe('several issuers', () => {
  it('prove their own users, also while another one is down', async () => {
    const [one, two] = [await issuerAt(), await issuerAt('/two')];
    const { set, lines } = await started([configured(one), configured(two)]);
    expect(await outcome(set, one.token())).toMatchObject({ name: 'oidc:alice' });
    expect(await outcome(set, two.token({ sub: 'bob' }))).toMatchObject({ name: 'oidc:bob' });
    // The key of one issuer signs no tokens of another.
    expect(await outcome(set, two.token({ iss: one.url }))).toMatch(/failed to verify id token signature$/);
    expect([set.health(), lines]).toEqual([undefined, []]);
    await two.suspend();
    const { set: other, lines: failures } = await started([configured(one), configured(two)]);
    expect(await outcome(other, one.token())).toMatchObject({ name: 'oidc:alice' });
    expect(await outcome(other, two.token())).toBe('oidc: authenticator not initialized');
    expect(failures.map(({ message }) => message)).toEqual(['oidc authenticator: initializing plugin']);
    expect(other.health()?.message).toMatch(
      /^oidc: authenticator for issuer "https:.*\/two" is not healthy: Get "https:.*": dial tcp 127.0.0.1:\d+: connect: connection refused$/,
    );
  });

  it('are discovered again until they respond', async () => {
    const issuer = await issuerAt();
    await issuer.suspend();
    const retries: (() => void)[] = [];
    const schedule = (callback: () => void, milliseconds: number) => {
      expect(milliseconds).toBe(10_000);
      retries.push(callback);
      return () => {};
    };
    const { set } = await started([configured(issuer)], { clock: { now: Date.now, schedule } });
    expect(retries.length).toBe(1);
    await issuer.resume();
    retries[0]?.();
    await vi.waitFor(() => expect(set.health()).toBeUndefined(), 30_000);
    expect(await outcome(set, issuer.token())).toMatchObject({ name: 'oidc:alice' });
  });
});

describe('discovery', () => {
  it('may be at another place than the issuer', async () => {
    const issuer = await issuerAt();
    const url = 'https://issuer.example/tenant';
    issuer.handlers.set('/somewhere', (_request, response) =>
      response.end(JSON.stringify({ issuer: url, jwks_uri: `${issuer.url}/keys` })),
    );
    const { set } = await started([configured(issuer, { issuer: { url, discoveryURL: `${issuer.url}/somewhere` } })]);
    expect(await outcome(set, issuer.token({ iss: url }))).toMatchObject({ name: 'oidc:alice' });
    expect(issuer.requests).toEqual(['/somewhere', '/keys']);
  });

  it.each<[string, number, string, string]>([
    [
      'another issuer',
      200,
      '{"issuer":"https://x","jwks_uri":"https://x"}',
      'issuer did not match the issuer returned',
    ],
    ['no keys', 200, '{"issuer":"ISSUER"}', 'provider did not return JWKS URL'],
    ['no JSON', 200, 'x', 'failed to decode provider discovery object: expected Content-Type = application/json'],
    ['a failure', 503, 'busy', '503 Service Unavailable: busy'],
  ])('that returns %s fails', async (_what, code, body, message) => {
    const issuer = await issuerAt();
    issuer.handlers.set('/.well-known/openid-configuration', (_request, response) =>
      response.writeHead(code).end(body.replace('ISSUER', issuer.url)),
    );
    const { set } = await started([configured(issuer)]);
    expect(set.health()?.message).toContain(message);
  });

  it('follows redirects to https, and no others', async () => {
    const issuer = await issuerAt();
    const redirect = (path: string, location: string) =>
      issuer.handlers.set(path, (_request, response) => response.writeHead(302, { location }).end());
    redirect('/keys', '/moved');
    issuer.handlers.set('/moved', (_request, response) => response.end(JSON.stringify(keySet(issuer.keys))));
    const { set } = await started([configured(issuer)]);
    expect(await outcome(set, issuer.token())).toMatchObject({ name: 'oidc:alice' });
    redirect('/keys', 'http://127.0.0.1:1/');
    const { set: plain } = await started([configured(issuer)]);
    expect(await outcome(plain, issuer.token())).toMatch(/unsupported protocol scheme "http"$/);
    redirect('/keys', '/keys');
    const { set: endless } = await started([configured(issuer)]);
    expect(await outcome(endless, issuer.token())).toMatch(/stopped after 10 redirects$/);
  });

  it('needs a certificate of the given authority', async () => {
    const [issuer, other] = [await issuerAt(), await issuerAt()];
    const { set } = await started([configured(issuer, { issuer: { certificateAuthority: other.authority } })]);
    expect(set.health()?.message).toContain('tls: failed to verify certificate: x509:');
  });
});

describe('an egress', () => {
  it('carries the connections to an issuer', async () => {
    const issuer = await issuerAt();
    const { port } = new URL(issuer.url);
    const dialled: unknown[] = [];
    const egress: EgressLookup = (type) => async (target) => {
      dialled.push([type, target]);
      return connect(Number(port), '127.0.0.1');
    };
    const { set } = await started([configured(issuer, { issuer: { egressSelectorType: 'cluster' } })], { egress });
    expect(await outcome(set, issuer.token())).toMatchObject({ name: 'oidc:alice' });
    expect(dialled[0]).toEqual(['cluster', { hostname: '127.0.0.1', port: Number(port) }]);
  });

  it('must be configured', async () => {
    const issuer = await issuerAt();
    const jwt = [configured(issuer, { issuer: { egressSelectorType: 'controlplane' } })];
    await expect(started(jwt)).rejects.toThrow('oidc: egress lookup required with egress selector type "controlplane"');
    await expect(started(jwt, { egress: () => undefined })).rejects.toThrow(
      'oidc: egress lookup for "controlplane" is not configured',
    );
  });
});

describe('a distributed claim', () => {
  const named = (url: string, more: object = {}) => ({
    _claim_names: { groups: 's' },
    _claim_sources: { s: { Endpoint: `${url}/groups`, access_token: 'secret', ...more } },
  });

  it('is fetched from its source, and verified', async () => {
    const issuer = await issuerAt();
    const authorizations: unknown[] = [];
    issuer.handlers.set('/groups', (request, response) => {
      authorizations.push(request.headers.authorization);
      response.end(issuer.token({ groups: ['far'] }));
    });
    const { set } = await started([configured(issuer)]);
    // The first token begins the discovery of the issuer of the claim.
    expect(await outcome(set, issuer.token(named(issuer.url)))).toMatch(/verifier not initialized for issuer/);
    await vi.waitFor(
      async () => expect(await outcome(set, issuer.token(named(issuer.url)))).toMatchObject({ groups: ['far'] }),
      30_000,
    );
    expect(authorizations[0]).toBe('Bearer secret');
    expect(await outcome(set, issuer.token({ ...named(issuer.url), groups: 'near' }))).toMatchObject({
      groups: ['near'],
    });
    issuer.handlers.set('/groups', (_request, response) => response.end(issuer.token({ others: [] })));
    expect(await outcome(set, issuer.token(named(issuer.url)))).toMatch(/did not contain claim: groups$/);
    issuer.handlers.set('/groups', (_request, response) => response.end(issuer.token({ groups: 'x', aud: 'other' })));
    expect(await outcome(set, issuer.token(named(issuer.url)))).toMatch(/verify distributed claim token: oidc: exp/);
  });

  it('fails with its source', async () => {
    const issuer = await issuerAt();
    const { set } = await started([configured(issuer)]);
    expect(await outcome(set, issuer.token(named(issuer.url)))).toBe(
      'oidc: could not expand distributed claims: while getting distributed claim "groups": error while getting distributed claim JWT: 404 Not Found',
    );
    issuer.handlers.set('/groups', (_request, response) => response.end('nonsense'));
    expect(await outcome(set, issuer.token(named(issuer.url)))).toMatch(/failed for claim "groups": malformed token$/);
  });

  it('is not fetched over http', async () => {
    const issuer = await issuerAt();
    const server = createServer((_request, response) => response.end(issuer.token({ groups: 'x' })));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    open.push(() => server.close());
    const { set } = await started([configured(issuer)]);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await outcome(set, issuer.token(named(url)))).toMatch(/unsupported protocol scheme "http"$/);
  });
});
