import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from '@apiserver/api/authorization/v1';
import { parseFieldSelector, parseLabelSelector } from '@apiserver/apimachinery/selectors';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { authorizationChain } from '../authorization-chain.js';
import type { AccessMatch } from '../match-conditions/access-matcher.js';
import { authorizerSuite, testAttributes } from '../testing/index.js';
import { type WebhookAuthorizerOptions, webhookAuthorizer } from './webhook-authorizer.js';

function asking(
  response: (spec: SubjectAccessReviewSpec) => SubjectAccessReviewStatus,
  changes: Partial<WebhookAuthorizerOptions> = {},
) {
  const requested: SubjectAccessReviewSpec[] = [];
  const clock = { time: 0, now: () => clock.time };
  const { logger, lines } = createTestLogger();
  const authorizer = webhookAuthorizer({
    review: async (spec) => {
      requested.push(spec);
      return response(spec);
    },
    authorizedTtl: 100,
    unauthorizedTtl: 10,
    decisionOnError: 'NoOpinion',
    clock,
    logger,
    ...changes,
  });
  return { authorizer, requested, clock, lines };
}

authorizerSuite('a webhook', () => asking(() => ({ allowed: false })).authorizer);

const user = { name: 'alice', uid: 'u1', groups: ['dev'], extra: { scopes: ['read'] } };

describe('webhookAuthorizer', () => {
  it('is remote, and so is a chain with it', () => {
    const { authorizer } = asking(() => ({ allowed: true }));
    const link = { type: 'Webhook', name: 'w', authorizer };
    const chains = [authorizationChain([link]), authorizationChain([link], () => () => {}), authorizationChain([])];
    expect([authorizer, ...chains.map((chain) => chain.authorizer)].map(({ isRemote }) => isRemote)).toEqual([
      ...[true, true, true, false],
    ]);
  });

  it('asks for a resource with its selectors', async () => {
    const { authorizer, requested } = asking(() => ({ allowed: true }));
    await authorizer.authorize(
      testAttributes({
        user,
        verb: 'list',
        apiGroup: 'apps',
        apiVersion: 'v1',
        resource: 'deployments',
        namespace: 'ns',
        isResourceRequest: true,
        subresource: '',
        name: '',
        fieldSelector: parseFieldSelector('metadata.name=a,spec.x!=b'),
        labelSelector: parseLabelSelector('a=1,b in (2,3),c!=4,d,!e,f>5'),
      }),
    );
    const [resourceAttributes] = requested.map((spec) => spec.resourceAttributes);
    expect(resourceAttributes).toEqual({
      verb: 'list',
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
      namespace: 'ns',
      fieldSelector: {
        requirements: [
          { key: 'metadata.name', operator: 'In', values: ['a'] },
          { key: 'spec.x', operator: 'NotIn', values: ['b'] },
        ],
      },
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['1'] },
          { key: 'b', operator: 'In', values: ['2', '3'] },
          { key: 'c', operator: 'NotIn', values: ['4'] },
          { key: 'd', operator: 'Exists' },
          { key: 'e', operator: 'DoesNotExist' },
        ],
      },
    });
  });

  it('leaves out selectors without requirements, and what is empty', async () => {
    const { authorizer, requested } = asking(() => ({ allowed: true }));
    await authorizer.authorize(
      testAttributes({
        user: { name: 'bob', groups: [], extra: {} },
        verb: 'list',
        apiGroup: '',
        apiVersion: 'v1',
        resource: 'pods',
        namespace: '',
        isResourceRequest: true,
        subresource: '',
        name: '',
        fieldSelector: parseFieldSelector(''),
        labelSelector: parseLabelSelector('f>5'),
      }),
    );
    const resourceAttributes = { verb: 'list', version: 'v1', resource: 'pods' };
    expect(requested).toEqual([{ resourceAttributes, user: 'bob' }]);
  });

  it('asks for a path as the user', async () => {
    const { authorizer, requested } = asking(() => ({ allowed: true }));
    await authorizer.authorize(testAttributes({ user, verb: 'get', path: '/metrics', isResourceRequest: false }));
    expect(requested).toEqual([
      {
        nonResourceAttributes: { path: '/metrics', verb: 'get' },
        user: 'alice',
        uid: 'u1',
        groups: ['dev'],
        extra: { scopes: ['read'] },
      },
    ]);
  });

  it.each<[SubjectAccessReviewStatus, object]>([
    [
      { allowed: true, reason: 'bound' },
      { decision: 'Allow', reason: 'bound' },
    ],
    [
      { allowed: false, reason: 'no rule' },
      { decision: 'NoOpinion', reason: 'no rule' },
    ],
    [
      { allowed: false, denied: true, reason: 'never' },
      { decision: 'Deny', reason: 'never' },
    ],
  ])('%j', async (status, result) => {
    expect(await asking(() => status).authorizer.authorize(testAttributes())).toEqual(result);
  });

  it('denies what is both allowed and denied', async () => {
    const result = await asking(() => ({ allowed: true, denied: true })).authorizer.authorize(testAttributes());
    expect([result.decision, result.error?.message]).toEqual([
      'Deny',
      'webhook subject access review returned both allow and deny response',
    ]);
  });

  it('keeps responses for their time, allowed ones longer, and responses from there at once', async () => {
    const { authorizer, requested, clock } = asking((spec) => ({ allowed: spec.user === 'alice' }));
    const alice = testAttributes({ user });
    const bob = testAttributes({ user: { ...user, name: 'bob' } });
    await authorizer.authorize(alice);
    await authorizer.authorize(bob);
    clock.time = 9;
    expect([authorizer.authorize(alice), authorizer.authorize(bob)]).toMatchObject([
      { decision: 'Allow' },
      { decision: 'NoOpinion' },
    ]);
    clock.time = 10;
    await authorizer.authorize(alice);
    await authorizer.authorize(bob);
    clock.time = 100;
    await authorizer.authorize(alice);
    expect(requested.map((spec) => spec.user)).toEqual(['alice', 'bob', 'bob', 'alice']);
  });

  it('keeps no response to a question that is too long', async () => {
    const { authorizer, requested } = asking(() => ({ allowed: true }));
    const long = testAttributes({ name: 'x'.repeat(10_000) });
    await authorizer.authorize(long);
    await authorizer.authorize(long);
    expect(requested.length).toBe(2);
  });

  it('knows no rules of a user', async () => {
    const { resourceRules, nonResourceRules, incomplete, errors } = await asking(() => ({
      allowed: true,
    })).authorizer.rulesFor(user, 'ns');
    expect([resourceRules, nonResourceRules, incomplete, errors.map(({ message }) => message)]).toEqual([
      [],
      [],
      true,
      ['webhook authorizer does not support user rule resolution'],
    ]);
  });

  it('has no opinion without a review, and says why', async () => {
    const { authorizer, lines } = asking(() => {
      throw new Error('connection refused');
    });
    const result = await authorizer.authorize(testAttributes());
    expect([result.decision, result.error?.message]).toEqual(['NoOpinion', 'connection refused']);
    expect(lines).toMatchObject([{ level: 'error', message: 'Failed to make webhook authorizer request' }]);
  });

  it('decides as its failure policy says', async () => {
    const fail = () => {
      throw new Error('no answer');
    };
    const { decision, error } = await asking(fail, { decisionOnError: 'Deny' }).authorizer.authorize(testAttributes());
    expect([decision, error?.message]).toEqual(['Deny', 'no answer']);
  });

  it.each<[AccessMatch, object, number]>([
    [{ matches: true }, { decision: 'Allow', reason: '' }, 1],
    [{ matches: false }, { decision: 'NoOpinion', reason: '' }, 0],
    [{ error: new Error('wrong') }, { decision: 'Deny', reason: '', error: new Error('wrong') }, 0],
  ])('with conditions that return %j: %j', async (match, result, count) => {
    const allow = () => ({ allowed: true });
    for (const matched of [match, Promise.resolve(match)]) {
      const changes = { matcher: { match: () => matched }, decisionOnError: 'Deny' as const };
      const { authorizer, requested } = asking(allow, changes);
      expect([await authorizer.authorize(testAttributes()), requested.length]).toEqual([result, count]);
    }
  });

  it('evaluates conditions even if the response is kept', async () => {
    let isMatched = true;
    const { authorizer } = asking(() => ({ allowed: true }), { matcher: { match: () => ({ matches: isMatched }) } });
    const first = await authorizer.authorize(testAttributes());
    isMatched = false;
    expect([first, await authorizer.authorize(testAttributes())]).toMatchObject([
      { decision: 'Allow' },
      { decision: 'NoOpinion' },
    ]);
  });

  it('measures the question in bytes', async () => {
    const { authorizer, requested } = asking(() => ({ allowed: true }));
    const long = testAttributes({ name: 'é'.repeat(5_000) });
    await authorizer.authorize(long);
    await authorizer.authorize(long);
    expect(requested.length).toBe(2);
  });

  it('keeps long reasons up to 32 Mi characters in all', async () => {
    const reason = 'x'.repeat(9 * 2 ** 20);
    const { authorizer, requested } = asking(() => ({ allowed: false, reason }));
    const ask = (name: string) => authorizer.authorize(testAttributes({ name }));
    for (const name of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await ask(name);
    expect(requested.map((spec) => spec.resourceAttributes?.name)).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  it('keeps responses about users with very many groups', async () => {
    const { authorizer, requested } = asking(() => ({ allowed: true }));
    const of = (count: number) =>
      testAttributes({ user: { ...user, groups: Array.from({ length: count }, (_, i) => `group-${i}`) } });
    for (const count of [1_000, 1_000, 1_001]) await authorizer.authorize(of(count));
    expect(requested.length).toBe(2);
  });
});
