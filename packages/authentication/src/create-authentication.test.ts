import type { Authenticator, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { silentLogger as logger } from '@apiserver/apiserver-contracts/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authenticatedGroupAdder, createAuthentication, unionAuthenticator } from './index.js';
import { makeTestCertificate, testAuthenticationExchange } from './testing/index.js';

const root = makeTestCertificate({ commonName: 'root', authority: true });
const stranger = makeTestCertificate({ commonName: 'root', authority: true });
const alice = makeTestCertificate({ commonName: 'alice', organizations: ['dev'], issuer: root });
const mallory = makeTestCertificate({ commonName: 'mallory', issuer: stranger });
const everything = {
  anonymous: true,
  clientCAs: () => root.certificate,
  tokenFile: { path: 'f', text: 'secret,bob,7,system:authenticated' },
  logger,
  now: Date.now,
};

function request(certificate?: { der: Uint8Array }, token?: string) {
  return testAuthenticationExchange({
    ...(certificate === undefined ? {} : { certificates: { chain: [certificate.der], memo: new Map() } }),
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  }).exchange;
}

describe('createAuthentication', () => {
  const authenticator = createAuthentication(everything).authenticator;

  it('takes the first valid credential, and adds system:authenticated once', async () => {
    expect(await authenticator?.authenticateRequest(request(alice, 'nonsense'))).toMatchObject({
      user: { name: 'alice', groups: ['dev', 'system:authenticated'] },
    });
    expect(await authenticator?.authenticateRequest(request(mallory, 'secret'))).toEqual({
      user: { name: 'bob', uid: '7', groups: ['system:authenticated'], extra: {} },
    });
  });

  it('authenticates a request without a credential as anonymous, but rejects a bad credential', async () => {
    expect(await authenticator?.authenticateRequest(request())).toEqual({
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} },
    });
    await expect(authenticator?.authenticateRequest(request(undefined, 'x'))).rejects.toThrow('invalid bearer token');
    await expect(authenticator?.authenticateRequest(request(mallory))).rejects.toThrow('unknown authority');
  });

  it('is undefined without configuration, and identifies no one if anonymous is off', async () => {
    expect(createAuthentication({ anonymous: false, logger, now: Date.now })).toEqual({
      authenticator: undefined,
      tokenAuthenticator: undefined,
    });
    const strict = createAuthentication({ ...everything, anonymous: false }).authenticator;
    expect(await strict?.authenticateRequest(request())).toBeUndefined();
  });
});

describe('tokens', () => {
  const known = (token: string, name: string): TokenAuthenticator => ({
    authenticateToken: async (shown) => (shown === token ? { user: { name, groups: [], extra: {} } } : undefined),
  });

  it('are asked for in the order of upstream, and kept in one cache', async () => {
    let time = 0;
    const requested: string[] = [];
    const counted = (name: string): TokenAuthenticator => ({
      authenticateToken: async (token) => {
        requested.push(name);
        return known(name, name).authenticateToken(token);
      },
    });
    const { authenticator } = createAuthentication({
      anonymous: false,
      logger,
      now: Date.now,
      bootstrapTokens: counted('bootstrap'),
      issuers: counted('issuer'),
      webhook: counted('webhook'),
      tokenCache: { successTtl: 10, failureTtl: 0, clock: { now: () => time } },
    });
    const look = async (token: string) => (await authenticator?.authenticateRequest(request(undefined, token)))?.user;
    expect(await look('webhook')).toMatchObject({ name: 'webhook', groups: ['system:authenticated'] });
    await look('webhook');
    expect(requested).toEqual(['bootstrap', 'issuer', 'webhook']);
    time = 10;
    await look('webhook');
    expect(requested.length).toBe(6);
    for (let i = 0; i < 2; i++) await expect(look('x')).rejects.toThrow('invalid bearer token');
    expect(requested.length).toBe(12);
  });

  it('of issuers have the audiences of the server', async () => {
    const { tokenAuthenticator } = createAuthentication({
      anonymous: false,
      logger,
      now: Date.now,
      issuers: known('t', 'alice'),
      apiAudiences: ['api', 'api2'],
    });
    const look = (audiences?: readonly string[]) => tokenAuthenticator?.authenticateToken('t', audiences);
    expect((await look(['api2', 'x']))?.audiences).toEqual(['api2']);
    expect(await look(['x'])).toBeUndefined();
  });
});

it('anonymous requests may be limited to paths', async () => {
  const { authenticator } = createAuthentication({ ...everything, anonymousPaths: ['/livez'] });
  const at = (path: string) => {
    const exchange = request();
    return authenticator?.authenticateRequest({ ...exchange, request: { ...exchange.request, path } });
  };
  expect(await at('/livez')).toMatchObject({ user: { name: 'system:anonymous' } });
  expect([await at('/livez/'), await at('/readyz')]).toEqual([undefined, undefined]);
});

describe('unionAuthenticator', () => {
  const outcomes = ['unknown', 'bad', 'worse', 'alice', 'bob'] as const;
  type Outcome = (typeof outcomes)[number];
  const isFault = (outcome: Outcome): boolean => outcome === 'bad' || outcome === 'worse';

  /** Responds synchronously, or with a promise. */
  function responding([outcome, waits]: readonly [Outcome, boolean]): Authenticator {
    const respond = () => {
      if (isFault(outcome)) throw new Error(outcome);
      return outcome === 'unknown' ? undefined : { user: { name: outcome, groups: [], extra: {} } };
    };
    return { authenticateRequest: waits ? async () => respond() : respond };
  }

  function expected(responses: readonly Outcome[], failOnError: boolean): string {
    const end = responses.findIndex((one) => one === 'alice' || one === 'bob' || (failOnError && isFault(one)));
    const last = responses[end];
    if (last !== undefined) return last;
    const faults = new Set(responses.filter(isFault));
    if (faults.size === 0) return 'unknown';
    return faults.size === 1 ? [...faults].join() : `[${[...faults].join(', ')}]`;
  }

  it('takes the first user found, or aggregates all errors, for synchronous and asynchronous authenticators alike', async () => {
    const responses = fc.array(fc.tuple(fc.constantFrom(...outcomes), fc.boolean()), { minLength: 2, maxLength: 4 });
    const property = fc.asyncProperty(responses, fc.boolean(), async (given, failOnError) => {
      const union = unionAuthenticator(given.map(responding), { failOnError });
      const outcome = await Promise.try(() => union.authenticateRequest(request())).then(
        (response) => response?.user.name ?? 'unknown',
        (error: Error) => error.message,
      );
      expect(outcome).toBe(
        expected(
          given.map(([one]) => one),
          failOnError,
        ),
      );
    });
    await fc.assert(property);
  });

  it('stays synchronous while the authenticators do', () => {
    const union = unionAuthenticator([
      responding(['bad', false]),
      responding(['bob', false]),
      responding(['bad', true]),
    ]);
    expect(union.authenticateRequest(request())).toEqual({ user: { name: 'bob', groups: [], extra: {} } });
  });
});

describe('authenticatedGroupAdder', () => {
  it.each([
    [{ name: 'system:anonymous', groups: [] }, []],
    [{ name: 'x', groups: ['system:unauthenticated'] }, ['system:unauthenticated']],
    [{ name: 'x', groups: ['a'] }, ['a', 'system:authenticated']],
  ])('%j', async (user, groups) => {
    const adder = authenticatedGroupAdder({ authenticateRequest: async () => ({ user: { ...user, extra: {} } }) });
    expect((await adder.authenticateRequest(request()))?.user.groups).toEqual(groups);
  });
});
