import { writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { messageOf } from '@apiserver/apimachinery/errors';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { afterEach, describe, expect, it } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { type SentReview, startFakeWebhook, type Verdict } from './fake-webhook.ts';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

const webhook = async (verdictOf: (review: SentReview) => Verdict) => stack.use(await startFakeWebhook(verdictOf));

/** A server in this process; `ask` sends a request with a token, `code body`, and `admin` one of the administrator. */
async function serverWith(...flags: string[]) {
  const dataDirectory = stack.use(temporaryDirectory('review-webhooks')).path;
  const server = stack.use(await startKubeApiserver({ dataDirectory, storageBackend: 'memory', flags }));
  const { ca, cert, key } = readCredentials(server.kubeconfigPath ?? '');
  const send = (method: string, path: string, options: RequestOptions, body?: object) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...('headers' in options && options.headers),
    };
    request(`${server.address}${path}`, { method, ca, agent: false, ...options, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
    return promise;
  };
  return {
    ask: (token: string, path: string, method = 'GET', body?: object) =>
      send(method, path, { headers: { authorization: `Bearer ${token}` } }, body),
    admin: (method: string, path: string, body?: object) => send(method, path, { cert, key }, body),
    metrics: async () => (await send('GET', '/metrics', { cert, key })).body,
  };
}

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const who = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
const alice = { username: 'alice', uid: 'u1', groups: ['crew'], extra: { ship: ['sea'] } };

/** Knows the token of alice, and fails over one. */
const tokens = ({ spec: { token } }: SentReview): Verdict => {
  if (token === 'broken-token') return { error: 'token is too old' };
  return token === 'alice-token' ? { authenticated: true, user: alice } : { authenticated: false };
};

describe('a webhook for tokens', () => {
  it.each([
    ['v1', 'authentication.k8s.io/v1'],
    ['v1beta1', 'authentication.k8s.io/v1beta1'],
  ])('of version %s knows users, once for each token', async (version, apiVersion) => {
    const hook = await webhook(tokens);
    const server = await serverWith(
      `--authentication-token-webhook-config-file=${hook.kubeconfig()}`,
      `--authentication-token-webhook-version=${version}`,
      '--api-audiences=sea',
    );
    for (let i = 0; i < 2; i++) {
      const { status, body } = await server.ask('alice-token', WHO, 'POST', who);
      expect([status, JSON.parse(body).status.userInfo]).toEqual([
        201,
        { ...alice, groups: ['crew', 'system:authenticated'] },
      ]);
    }
    expect(hook.requests).toEqual(['POST /review?timeout=30s kube-apiserver application/json']);
    expect(hook.reviews).toEqual([
      {
        kind: 'TokenReview',
        apiVersion,
        metadata: {},
        status: { user: {} },
        spec: { token: 'alice-token', audiences: ['sea'] },
      },
    ]);
    expect(await server.metrics()).toContain('authentication_token_cache_request_total{status="hit"} 1');
  });

  it('refuses tokens that it does not know, keeps that, and asks again after a failure', async () => {
    const hook = await webhook(tokens);
    const server = await serverWith(
      `--authentication-token-webhook-config-file=${hook.kubeconfig()}`,
      '--authorization-mode=RBAC',
    );
    for (const token of ['other', 'other', 'broken-token', 'broken-token']) {
      expect((await server.ask(token, '/version')).status).toBe(401);
    }
    expect(hook.reviews.map(({ spec }) => spec.token)).toEqual(['other', 'broken-token', 'broken-token']);
  });

  it('keeps nothing without a time for it', async () => {
    const hook = await webhook(tokens);
    const server = await serverWith(
      `--authentication-token-webhook-config-file=${hook.kubeconfig()}`,
      '--authentication-token-webhook-cache-ttl=0s',
    );
    for (const token of ['other', 'other', 'alice-token', 'alice-token']) await server.ask(token, '/version');
    // The cache of all tokens keeps known ones for 10 seconds.
    expect(hook.reviews.map(({ spec }) => spec.token)).toEqual(['other', 'other', 'alice-token']);
  });

  it('comes after the tokens of the server itself, and reviews for others', async () => {
    const hook = await webhook(tokens);
    const server = await serverWith(
      `--authentication-token-webhook-config-file=${hook.kubeconfig()}`,
      '--api-audiences=sea',
    );
    const review = (token: string, audiences?: string[]) =>
      server.admin('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, ...(audiences && { audiences }) },
      });
    expect(JSON.parse((await review('alice-token')).body).status).toMatchObject({
      authenticated: true,
      audiences: ['sea'],
    });
    expect(JSON.parse((await review('alice-token', ['lake'])).body).status).toMatchObject({ user: {} });
    const { body } = await server.admin('POST', '/api/v1/namespaces/kube-system/serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot' },
    });
    expect(JSON.parse(body).kind).toBe('ServiceAccount');
    const issued = await server.admin('POST', '/api/v1/namespaces/kube-system/serviceaccounts/robot/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    const requested = hook.reviews.length;
    expect((await server.ask(JSON.parse(issued.body).status.token, '/version')).status).toBe(200);
    expect(hook.reviews.length).toBe(requested);
  });
});

const TOKENS = ['alice', 'bob', 'carol', 'dave'].map((name) => `${name}-token,${name},${name},crew`).join('\n');
const PODS = '/api/v1/namespaces/sea/pods';

/** The access of each user. */
const accesses = ({ spec }: SentReview): Verdict => {
  if (spec.user === 'alice') return { allowed: true };
  if (spec.user === 'bob') return { allowed: false, denied: true, reason: 'bob never' };
  return spec.user === 'carol' ? { allowed: false, reason: 'not today' } : 500;
};

describe('a webhook for accesses', () => {
  async function serverOf(kubeconfig: string, ...flags: string[]) {
    const folder = stack.use(temporaryDirectory('tokens')).path;
    writeFileSync(`${folder}/tokens.csv`, TOKENS);
    return serverWith(
      `--token-auth-file=${folder}/tokens.csv`,
      `--authorization-webhook-config-file=${kubeconfig}`,
      ...flags,
    );
  }

  it.each([
    ['v1', 'groups'],
    ['v1beta1', 'group'],
  ])('of version %s decides, once for each access', async (version, groups) => {
    const hook = await webhook(accesses);
    const server = await serverOf(
      hook.kubeconfig({ path: '/' }),
      '--authorization-mode=Webhook',
      `--authorization-webhook-version=${version}`,
    );
    const forbidden = (name: string, reason: string) =>
      `pods is forbidden: User \\"${name}\\" cannot list resource \\"pods\\" in API group \\"\\" in the namespace \\"sea\\": ${reason}`;
    for (let i = 0; i < 2; i++) {
      expect((await server.ask('alice-token', PODS)).status).toBe(200);
      expect((await server.ask('bob-token', PODS)).body).toContain(forbidden('bob', 'bob never'));
      expect((await server.ask('carol-token', PODS)).body).toContain(forbidden('carol', 'not today'));
    }
    expect(hook.requests).toEqual(Array(3).fill('POST /?timeout=30s kube-apiserver application/json'));
    expect(hook.reviews[0]).toEqual({
      kind: 'SubjectAccessReview',
      apiVersion: `authorization.k8s.io/${version}`,
      metadata: {},
      status: { allowed: false },
      spec: {
        resourceAttributes: { namespace: 'sea', verb: 'list', version: 'v1', resource: 'pods' },
        user: 'alice',
        uid: 'alice',
        [groups]: ['crew', 'system:authenticated'],
      },
    });
    const metrics = await server.metrics();
    expect(metrics).toContain('authorization_webhook_evaluations_total{name="default",result="success"} 3');
    expect(metrics).toContain('authorization_webhook_duration_seconds_count{name="default",result="success"} 3');
  });

  it('does not decide over administrators, and leaves the rest to the next mode', async () => {
    const hook = await webhook(accesses);
    const server = await serverOf(hook.kubeconfig(), '--authorization-mode=Webhook,RBAC');
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const subjects = ['bob', 'carol', 'dave'].map((name) => ({ kind: 'User', name }));
    const binding = { metadata: { name: 'viewers' }, roleRef, subjects };
    expect((await server.admin('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding)).status).toBe(
      201,
    );
    expect(hook.reviews).toEqual([]);
    const statuses = ['bob', 'carol'].map(async (name) => (await server.ask(`${name}-token`, PODS)).status);
    expect(await Promise.all(statuses)).toEqual([403, 200]);
  });

  it('tries again, and is without an opinion when it fails', async () => {
    let failures = 1;
    const hook = await webhook((review) => (review.spec.user === 'alice' && failures-- > 0 ? 503 : accesses(review)));
    const server = await serverOf(hook.kubeconfig(), '--authorization-mode=Webhook');
    // 503 is not tried again. The error of an authorizer is shown where no other allows.
    expect((await server.ask('alice-token', PODS)).status).toBe(500);
    expect((await server.ask('alice-token', PODS)).status).toBe(200);
    await hook.close();
    expect((await server.ask('carol-token', PODS)).status).toBe(500);
    const metrics = await server.metrics();
    expect(metrics).toContain('authorization_webhook_evaluations_total{name="default",result="error"} 2');
    expect(metrics).toContain('authorization_webhook_evaluations_fail_open_total{name="default",result="error"} 2');
  });

  it('is not trusted with a certificate of another authority', async () => {
    const hook = await webhook(() => ({ allowed: true }));
    const ca = makeTestCertificate({ commonName: 'stranger', authority: true }).certificate;
    const server = await serverOf(hook.kubeconfig({ ca }), '--authorization-mode=Webhook');
    const { status, body } = await server.ask('alice-token', PODS);
    expect([status, body]).toEqual([500, expect.stringContaining('certificate signed by unknown authority')]);
    expect(hook.reviews).toEqual([]);
  });

  it('knows no rules of a user', async () => {
    const hook = await webhook(() => ({ allowed: true }));
    const server = await serverOf(hook.kubeconfig(), '--authorization-mode=Webhook');
    const { body } = await server.ask('alice-token', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', 'POST', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace: 'sea' },
    });
    expect(JSON.parse(body).status).toMatchObject({
      incomplete: true,
      evaluationError: 'webhook authorizer does not support user rule resolution',
    });
  });
});

describe('flags of webhooks', () => {
  const outcome = async (...flags: string[]): Promise<string> => {
    try {
      await serverWith(...flags);
      return 'started';
    } catch (error) {
      return messageOf(error);
    }
  };

  it.each<[string[], string]>([
    [['--authorization-mode=Webhook'], "authorization-mode Webhook's authorization config file not passed"],
    [
      ['--authorization-webhook-config-file=/none'],
      'cannot specify --authorization-webhook-config-file without mode Webhook',
    ],
    [
      ['--authorization-mode=Webhook', '--authorization-webhook-config-file=/none'],
      'invalid authorization config: stat /none: no such file or directory',
    ],
    [['--authentication-token-webhook-config-file=/none'], 'stat /none: no such file or directory'],
  ])('%j: %s', async (flags, message) => {
    expect(await outcome(...flags)).toBe(message);
  });

  it('name the versions of reviews', async () => {
    const file = (await webhook(() => 500)).kubeconfig();
    expect([
      await outcome(`--authentication-token-webhook-config-file=${file}`, '--authentication-token-webhook-version=v2'),
      await outcome(
        `--authorization-webhook-config-file=${file}`,
        '--authorization-mode=Webhook',
        '--authorization-webhook-version=v2',
      ),
    ]).toEqual([
      'unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"',
      'invalid authorization config: unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"',
    ]);
  });
});
