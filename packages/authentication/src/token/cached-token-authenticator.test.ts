import type { AuthenticationResponse, TokenAuthenticator } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { cachedTokenAuthenticator } from './cached-token-authenticator.js';

const alice: AuthenticationResponse = { user: { name: 'alice', groups: [], extra: {} } };

/** A cache over tokens that counts its questions, on a clock of its own. */
function cached(response: TokenAuthenticator['authenticateToken'], times = { successTtl: 100, failureTtl: 10 }) {
  const requested: string[] = [];
  const clock = { time: 0, now: () => clock.time };
  const observed: string[] = [];
  const tokens = cachedTokenAuthenticator(
    {
      authenticateToken: (token, audiences, recorder) => {
        requested.push(`${token} ${audiences ?? ''}`.trim());
        return response(token, audiences, recorder);
      },
    },
    {
      ...times,
      clock,
      observer: {
        lookedUp: (status) => observed.push(status),
        active: (status, change) => observed.push(`${status} ${change}`),
        fetched: (status) => observed.push(`fetched ${status}`),
      },
    },
  );
  return { tokens, requested, clock, observed };
}

it('asks again when the time of a success, or of a failure, is over', async () => {
  const { tokens, requested, clock } = cached(async (token) => (token === 'good' ? alice : undefined));
  const look = async () => [await tokens.authenticateToken('good'), await tokens.authenticateToken('bad')];
  expect(await look()).toEqual([alice, undefined]);
  clock.time = 9;
  expect(await look()).toEqual([alice, undefined]);
  clock.time = 99;
  expect(await look()).toEqual([alice, undefined]);
  clock.time = 100;
  expect(await look()).toEqual([alice, undefined]);
  expect(requested).toEqual(['good', 'bad', 'bad', 'good']);
});

it('keeps no errors', async () => {
  let failures = 2;
  const { tokens, requested } = cached(async () => {
    if (failures-- > 0) throw new Error('no review');
    return alice;
  });
  await expect(tokens.authenticateToken('t')).rejects.toThrow('no review');
  await expect(tokens.authenticateToken('t')).rejects.toThrow('no review');
  expect(await tokens.authenticateToken('t')).toBe(alice);
  expect(requested.length).toBe(3);
});

it('shares one look-up among callers of one time, and counts them', async () => {
  const review = Promise.withResolvers<AuthenticationResponse>();
  const { tokens, requested, observed } = cached(() => review.promise);
  const both = Promise.all([tokens.authenticateToken('t'), tokens.authenticateToken('t')]);
  review.resolve(alice);
  expect([await both, requested]).toEqual([[alice, alice], ['t']]);
  await tokens.authenticateToken('t');
  expect(observed).toEqual([
    ...['blocked 1', 'in_flight 1', 'blocked 1', 'fetched ok', 'in_flight -1'],
    ...['blocked -1', 'blocked -1', 'miss', 'miss', 'hit'],
  ]);
});

it('keeps apart tokens for different audiences', async () => {
  const { tokens, requested } = cached(async () => alice);
  await tokens.authenticateToken('t');
  await tokens.authenticateToken('t', ['a']);
  await tokens.authenticateToken('t', ['a', 'b']);
  await tokens.authenticateToken('t', ['a']);
  expect(requested).toEqual(['t', 't a', 't a,b']);
});

it('keeps large users up to 32 Mi characters in all', async () => {
  const groups = ['x'.repeat(9 * 2 ** 20)];
  const { tokens, requested } = cached(async () => ({ user: { ...alice.user, groups } }));
  for (const token of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await tokens.authenticateToken(token);
  expect(requested).toEqual(['a', 'b', 'c', 'd', 'b']);
});

it('repeats warnings and annotations for each caller', async () => {
  const { tokens } = cached(async (_token, _audiences, recorder) => {
    recorder?.warnings?.warn('this token ends soon');
    recorder?.audit?.annotate('stale', 'yes');
    return alice;
  });
  const warned: string[] = [];
  const recorder = {
    warnings: { warn: (text: string) => void warned.push(text) },
    audit: { annotate: (key: string, value: string) => void warned.push(`${key}=${value}`) },
  };
  await tokens.authenticateToken('t', undefined, recorder);
  await tokens.authenticateToken('t', undefined, recorder);
  expect(warned).toEqual(['stale=yes', 'this token ends soon', 'stale=yes', 'this token ends soon']);
});
