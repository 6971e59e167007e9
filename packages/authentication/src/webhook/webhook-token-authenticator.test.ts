import type { TokenReviewSpec, TokenReviewStatus } from '@apiserver/api/authentication/v1';
import { createTestLogger, silentLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { webhookTokenAuthenticator } from './webhook-token-authenticator.js';

const user = { username: 'alice', uid: 'u1', groups: ['dev'], extra: { scopes: ['read'] } };
const alice = { name: 'alice', uid: 'u1', groups: ['dev'], extra: { scopes: ['read'] } };

describe('webhookTokenAuthenticator', () => {
  it.each<[string, readonly string[] | undefined, Partial<TokenReviewStatus>, object | undefined]>([
    ['a known token', undefined, { authenticated: true, user }, { user: alice }],
    [
      'a user with a name alone',
      undefined,
      { authenticated: true, user: { username: 'bob' } },
      { user: { name: 'bob', groups: [], extra: {} } },
    ],
    ['an unknown token', undefined, {}, undefined],
    [
      'shared audiences',
      ['a', 'b'],
      { authenticated: true, user, audiences: ['b', 'c'] },
      { user: alice, audiences: ['b'] },
    ],
    ['other audiences', ['a'], { authenticated: true, user, audiences: ['c'] }, undefined],
    ['a review without audiences', ['a', 'own'], { authenticated: true, user }, { user: alice, audiences: ['own'] }],
  ])('%s', async (_, audiences, status, expected) => {
    const requested: TokenReviewSpec[] = [];
    const tokens = webhookTokenAuthenticator({
      review: async (spec) => {
        requested.push(spec);
        return { user: {}, ...status };
      },
      implicitAudiences: ['own'],
      logger: silentLogger,
    });
    expect(await tokens.authenticateToken('t', audiences)).toEqual(expected);
    expect(requested).toEqual([{ token: 't', ...(audiences && { audiences }) }]);
  });

  it('throws the error of a review', async () => {
    const review = async () => ({ user: {}, error: 'token is too old' });
    const tokens = webhookTokenAuthenticator({ review, logger: silentLogger });
    await expect(tokens.authenticateToken('t')).rejects.toThrow('token is too old');
  });

  it('logs and throws when there is no review', async () => {
    const { logger, lines } = createTestLogger();
    const review = () => Promise.reject(new Error('connection refused'));
    await expect(webhookTokenAuthenticator({ review, logger }).authenticateToken('t')).rejects.toThrow('refused');
    expect(lines).toMatchObject([{ level: 'error', message: 'Failed to make webhook authenticator request' }]);
  });
});
