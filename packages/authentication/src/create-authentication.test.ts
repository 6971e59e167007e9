import type { Authenticator, Logger } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { authenticatedGroupAdder, createAuthentication, unionAuthenticator } from './index.js';
import { makeTestCertificate, testAuthenticationExchange } from './testing/index.js';

const logger: Logger = { info() {}, warning() {}, error() {}, v: () => undefined, named: () => logger };
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

  it('takes the first credential that is good, and adds system:authenticated once', async () => {
    expect(await authenticator?.authenticateRequest(request(alice, 'nonsense'))).toMatchObject({
      user: { name: 'alice', groups: ['dev', 'system:authenticated'] },
    });
    expect(await authenticator?.authenticateRequest(request(mallory, 'secret'))).toEqual({
      user: { name: 'bob', uid: '7', groups: ['system:authenticated'], extra: {} },
    });
  });

  it('takes who shows nothing as anonymous, but nobody who shows something bad', async () => {
    expect(await authenticator?.authenticateRequest(request())).toEqual({
      user: { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} },
    });
    await expect(authenticator?.authenticateRequest(request(undefined, 'x'))).rejects.toThrow('invalid bearer token');
    await expect(authenticator?.authenticateRequest(request(mallory))).rejects.toThrow('unknown authority');
  });

  it('is undefined when nothing is configured, and knows nobody when anonymous is off', async () => {
    expect(createAuthentication({ anonymous: false, logger, now: Date.now })).toEqual({
      authenticator: undefined,
      tokenAuthenticator: undefined,
    });
    const strict = createAuthentication({ ...everything, anonymous: false }).authenticator;
    expect(await strict?.authenticateRequest(request())).toBeUndefined();
  });
});

describe('unionAuthenticator', () => {
  it('throws the errors of all together', async () => {
    const failing = (message: string): Authenticator => ({
      authenticateRequest: () => Promise.reject(new Error(message)),
    });
    const union = unionAuthenticator([failing('a'), failing('b')]);
    await expect(union.authenticateRequest(request())).rejects.toThrow('[a, b]');
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
