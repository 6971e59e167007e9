import { makeTestCertificate } from '@apiserver/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { testAuthenticationExchange } from '../testing/test-exchange.js';
import {
  isIdentityHeader,
  type RequestHeaderConfig,
  requestHeaderAuthenticator,
} from './request-header-authenticator.js';

const root = makeTestCertificate({ commonName: 'root', authority: true });
const stranger = makeTestCertificate({ commonName: 'stranger', authority: true });
const proxy = makeTestCertificate({ commonName: 'front-proxy', issuer: root });

function authenticate(
  headers: Record<string, string | readonly string[]>,
  certificate = proxy,
  config: Partial<RequestHeaderConfig> = {},
) {
  const authenticator = requestHeaderAuthenticator(
    {
      clientCAs: () => root.certificate,
      allowedNames: ['front-proxy'],
      usernameHeaders: ['X-Remote-User', 'X-User'],
      uidHeaders: ['X-Remote-Uid'],
      groupHeaders: ['X-Remote-Group', 'X-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
      ...config,
    },
    Date.now,
  );
  const { exchange } = testAuthenticationExchange({
    headers,
    certificates: { chain: [certificate.der], memo: new Map() },
  });
  return authenticator.authenticateRequest(exchange);
}

it.each([
  ['x-my-user', true],
  ['x-my-uid', true],
  ['x-my-group', true],
  ['x-my-extra-scopes', true],
  ['x-my-extra', false],
  ['x-remote-user', false],
])('isIdentityHeader %s: %s', (name, expected) => {
  const config = {
    clientCAs: () => '',
    allowedNames: [],
    usernameHeaders: ['X-My-User'],
    uidHeaders: ['X-My-Uid'],
    groupHeaders: ['X-My-Group'],
    extraHeaderPrefixes: ['X-My-Extra-'],
  };
  expect(isIdentityHeader(config, name)).toBe(expected);
});

describe('requestHeaderAuthenticator', () => {
  it('trusts the headers of the proxy', async () => {
    const headers = {
      'X-Remote-User': 'alice',
      'X-Remote-Uid': 'u1',
      'x-remote-group': ['dev', 'ops'],
      'X-Group': 'more',
      'X-Remote-Extra-Scopes%2Fa': ['read', 'write'],
    };
    expect(await authenticate(headers)).toEqual({
      user: { name: 'alice', uid: 'u1', groups: ['dev', 'ops', 'more'], extra: { 'scopes/a': ['read', 'write'] } },
    });
  });

  it('decodes the bytes of a key, unless an escape is malformed', async () => {
    const headers = { 'X-Remote-User': 'alice', 'X-Remote-Extra-%ff': 'a', 'X-Remote-Extra-%zz': 'b' };
    const extra = { '\ufffd': ['a'], '%zz': ['b'] };
    expect(await authenticate(headers)).toEqual({ user: { name: 'alice', groups: [], extra } });
  });

  it('takes the first username header that is not empty', async () => {
    expect(await authenticate({ 'X-Remote-User': '', 'X-User': 'bob' })).toEqual({
      user: { name: 'bob', groups: [], extra: {} },
    });
  });

  it('has no opinion if the proxy names no user', async () => {
    expect(await authenticate({ 'X-Remote-Group': 'system:masters' })).toBeUndefined();
  });

  it('does not trust other clients', async () => {
    const headers = { 'X-Remote-User': 'alice' };
    const forged = makeTestCertificate({ commonName: 'front-proxy', issuer: stranger });
    const misnamed = makeTestCertificate({ commonName: 'mallory', issuer: root });
    await expect(authenticate(headers, forged)).rejects.toThrow('verifying certificate');
    await expect(authenticate(headers, misnamed)).rejects.toThrow(
      'x509: subject with cn=mallory is not in the allowed list',
    );
    expect(await authenticate(headers, misnamed, { allowedNames: [] })).toMatchObject({ user: { name: 'alice' } });
  });
});
