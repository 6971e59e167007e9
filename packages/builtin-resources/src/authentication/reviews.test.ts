import type { KubeObject } from '@apiserver/apimachinery';
import type { TokenAuthenticator, UserInfo } from '@apiserver/apiserver-contracts';
import { testContext } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { authenticationGroup } from './index.js';
import type { TokenReviewOptions } from './token-review.js';

const amy: UserInfo = { name: 'amy', uid: 'u', groups: ['g'], extra: { k: ['v'] } };
const shown = { username: 'amy', uid: 'u', groups: ['g'], extra: { k: ['v'] } };

const tokens: TokenAuthenticator = {
  authenticateToken: async (token, audiences) => {
    if (token === 'bad') throw new Error('it is bad');
    if (token === 'amy') return { user: amy, ...(audiences === undefined ? {} : { audiences: audiences.slice(0, 1) }) };
    return token === 'elsewhere' ? { user: amy, audiences: ['elsewhere'] } : undefined;
  },
};

async function ask(
  kind: string,
  spec?: object,
  { apiAudiences, tokenAuthenticator }: TokenReviewOptions = { apiAudiences: ['api'], tokenAuthenticator: tokens },
  status?: object,
) {
  const now = () => Date.parse('2030-01-01T00:00:00.9Z');
  const { resources } = authenticationGroup({ tokenAuthenticator, apiAudiences, now });
  const storage = resources.find(({ definition }) => definition.kind === kind)?.storage;
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind,
    metadata: {},
    ...(spec && { spec }),
    ...(status && { status }),
  } as KubeObject;
  return (await storage?.create?.({ ...testContext(), user: amy }, body, async () => {}, {}))?.object;
}

it('returns the user and the time', async () => {
  expect(await ask('SelfSubjectReview')).toEqual({
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: '2030-01-01T00:00:00Z' },
    status: { userInfo: shown },
  });
});

describe('TokenReview', () => {
  it.each<[object, readonly string[], object]>([
    [{ token: 'amy' }, ['api', 'api2'], { authenticated: true, user: shown, audiences: ['api'] }],
    [{ token: 'amy', audiences: ['x'] }, ['api'], { authenticated: true, user: shown, audiences: ['x'] }],
    [{ token: 'amy' }, [], { authenticated: true, user: shown }],
    [{ token: 'amy\n' }, [], { authenticated: true, user: shown }],
    [{ token: 'amy of others' }, [], { authenticated: true, user: shown }],
    [{ token: 'bad' }, ['api'], { user: {}, error: 'it is bad' }],
    [{ token: 'unknown' }, ['api'], { user: {}, error: 'invalid bearer token' }],
  ])('of %j at an API with audience %j', async (spec, apiAudiences, status) => {
    expect(await ask('TokenReview', spec, { apiAudiences, tokenAuthenticator: tokens })).toMatchObject({
      spec,
      status,
    });
  });

  it('keeps those fields of a sent status that it does not set', async () => {
    const sent = { authenticated: true, user: { username: 'u' }, audiences: ['x'], error: 'e' };
    expect(await ask('TokenReview', { token: 'bad' }, undefined, sent)).toMatchObject({
      status: { user: sent.user, audiences: ['x'], error: 'it is bad' },
    });
    expect(await ask('TokenReview', { token: 'amy' }, undefined, sent)).toMatchObject({
      status: { authenticated: true, user: shown, audiences: ['api'], error: 'e' },
    });
    const unbound = { apiAudiences: [], tokenAuthenticator: tokens };
    const review = await ask('TokenReview', { token: 'amy' }, unbound, sent);
    expect(review).toMatchObject({ status: { authenticated: true, user: shown, error: 'e' } });
    expect(review).not.toHaveProperty('status.audiences');
  });

  it('is returned as it was sent where no tokens are known', async () => {
    const review = await ask('TokenReview', { token: 'amy' }, { apiAudiences: ['api'], tokenAuthenticator: undefined });
    expect(review).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token: 'amy' },
    });
  });

  it('requires a token', async () => {
    await expect(ask('TokenReview', {})).rejects.toThrow('token is required for TokenReview in authentication');
  });

  it('does not return an identity for other audiences', async () => {
    await expect(ask('TokenReview', { token: 'elsewhere' })).rejects.toThrow('error validating audiences');
  });
});
