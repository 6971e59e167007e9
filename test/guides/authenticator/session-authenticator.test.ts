import { testAuthenticationExchange } from '@apiserver/authentication/testing';
import { expect, it } from 'vitest';
import { sessionAuthenticator } from './session-authenticator.js';

const alice = { name: 'alice', groups: ['dev'], extra: {} };
const authenticator = sessionAuthenticator(async (id) => (id === 's1' ? alice : undefined));

async function authenticate(headers: Record<string, string>) {
  const { exchange } = testAuthenticationExchange({ headers });
  return authenticator.authenticateRequest(exchange);
}

it('proves the user of a session', async () => {
  expect(await authenticate({ cookie: 'theme=dark; session=s1' })).toEqual({ user: alice });
});

it('has no opinion without its credential', async () => {
  expect(await authenticate({ cookie: 'theme=dark' })).toBeUndefined();
  expect(await authenticate({ authorization: 'Bearer t' })).toBeUndefined();
});

it('fails for a bad credential', async () => {
  await expect(authenticate({ cookie: 'session=s2' })).rejects.toThrow('the session has ended');
});
