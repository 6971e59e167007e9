import { existsSync, readFileSync } from 'node:fs';
import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlPlane, PlaneUser } from '../control-plane.js';
import { startControlPlane } from '../start/start-control-plane.js';
import type { UserOptions } from './user-options.js';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
});
afterAll(() => plane.stop());

const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

/** The user as the server sees it. */
async function seen(user: PlaneUser): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await user.fetch(reviews, { method: 'POST', body: JSON.stringify(review), headers });
  const { status } = (await response.json()) as { status: { userInfo: object } };
  return status.userInfo;
}

describe('user', () => {
  const alice = { username: 'alice', uid: '42', groups: ['dev', 'ops', 'system:authenticated'] };
  it.each<[UserOptions, object]>([
    [{ groups: ['dev', 'ops'], uid: '42' }, alice],
    [{ groups: ['dev', 'ops'], uid: '42', by: 'token' }, alice],
    [{ groups: ['dev', 'ops'], uid: '42', by: 'impersonation' }, alice],
    [{ extra: { team: ['a', 'b'] } }, { username: 'alice', extra: { team: ['a', 'b'] } }],
    [
      { extra: { 'a/b': ['c'] }, by: 'impersonation' },
      { username: 'alice', extra: { 'a/b': ['c'] } },
    ],
    [{}, { username: 'alice', groups: ['system:authenticated'] }],
  ])('%j', async (options, expected) => {
    const user = plane.user('alice', options);
    expect(await seen(user)).toMatchObject(expected);
    expect((await user.fetch('/api/v1/secrets')).status).toBe(403);
  });

  it('has no room for extra in a certificate', () => {
    expect(() => plane.user('alice', { extra: { a: ['b'] }, by: 'certificate' })).toThrow(
      "user alice: a certificate has no room for extra; use by: 'token'",
    );
  });

  it.each([
    [{ grups: [] }, 'user alice.grups: unknown field (known: by, extra, groups, uid)'],
    [{ groups: 'dev' }, 'user alice.groups: must be a list of strings'],
    [{ extra: { a: 'b' } }, 'user alice.extra.a: must be a list of strings'],
    [{ by: 'password' }, 'user alice.by: must be "certificate" or "token" or "impersonation"'],
  ])('refuses %j', (options, message) => {
    expect(() => plane.user('alice', JSON.parse(JSON.stringify(options)))).toThrow(message);
  });

  it('has the token of one plane alone', async () => {
    await using other = await startControlPlane();
    const { token } = plane.user('alice', { by: 'token' });
    const headers = { authorization: `Bearer ${token}` };
    const url = { here: plane.user('x', { by: 'token' }), there: other };
    expect((await url.there.fetch('/api', { headers })).status).toBe(200);
    const anonymous = other.user('nobody', { by: 'token' });
    expect((await anonymous.fetch('/api', { headers })).status).toBe(401);
  });

  it('has a certificate for a plane on another date', async () => {
    await using later = await startControlPlane({ clock: new Date('2040-01-01T00:00:00Z') });
    expect(await seen(later.user('alice', { groups: ['dev'] }))).toMatchObject({ username: 'alice' });
    expect((await plane.user('alice').fetch('/version')).status).toBe(200);
  });

  it('is reviewed by its token', async () => {
    const { token } = plane.user('bob', { groups: ['dev'], by: 'token' });
    const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } });
    const headers = { 'content-type': 'application/json' };
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    expect(await (await plane.fetch(path, { method: 'POST', body, headers })).json()).toMatchObject({
      status: { authenticated: true, user: { username: 'bob', groups: ['dev', 'system:authenticated'] } },
    });
  });

  it.each<UserOptions>([{ groups: ['system:masters'] }, { groups: ['system:masters'], by: 'token' }])(
    'is the same over TLS and without a socket: %j',
    async (options) => {
      const user = plane.user('root', options);
      for (const socket of [true, false]) {
        const { items } = await user.client(CoreV1Api, { socket }).listNamespace();
        expect(items.map(({ metadata }) => metadata?.name)).toContain('kube-system');
      }
    },
  );

  it('writes its kubeconfig into a file that ends with the plane', async () => {
    const short = await startControlPlane();
    const user = short.user('alice/../x');
    const file = user.kubeconfigFile();
    expect([readFileSync(file, 'utf8'), user.kubeconfigFile()]).toEqual([user.kubeconfig, file]);
    await short.stop();
    expect(existsSync(file)).toBe(false);
    expect(() => user.kubeconfigFile()).toThrow('the control plane has ended');
  });
});

describe('serviceAccount', () => {
  it('makes an account and a token', async () => {
    const account = await plane.serviceAccount('default', 'robot', { expirationSeconds: 600 });
    expect(await seen(account)).toMatchObject({
      username: 'system:serviceaccount:default:robot',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    expect((await plane.serviceAccount('default', 'robot')).token).not.toBe(account.token);
  });

  it.each([
    [{ ttl: 600 }, 'service account default/robot.ttl: unknown field'],
    [{ expirationSeconds: 5 }, 'service account default/robot.expirationSeconds: must be an integer from 600 on'],
  ])('refuses %j', async (options, message) => {
    const made = plane.serviceAccount('default', 'robot', JSON.parse(JSON.stringify(options)));
    await expect(made).rejects.toThrow(message);
  });

  it('names the account that cannot be', async () => {
    await expect(plane.serviceAccount('nowhere', 'robot')).rejects.toThrow(
      'service account nowhere/robot: namespaces "nowhere" not found (404)',
    );
  });
});

describe('client', () => {
  it('reads, writes and gets refusals without a socket', async () => {
    const api = plane.client(CoreV1Api);
    const body = { metadata: { name: 'made' }, data: { a: 'ü' } };
    const made = await api.createNamespacedConfigMap({ namespace: 'default', body });
    expect(made.metadata?.uid).toBeDefined();
    const read = await api.readNamespacedConfigMap({ namespace: 'default', name: 'made' });
    expect(read.data).toEqual({ a: 'ü' });
    await expect(api.createNamespacedConfigMap({ namespace: 'default', body })).rejects.toMatchObject({ code: 409 });
  });

  it('is refused over TLS for an impersonated user with groups, which the package would lose', () => {
    const alice = plane.user('alice', { groups: ['dev'], by: 'impersonation' });
    expect(() => alice.client(CoreV1Api, { socket: true })).toThrow('only the name of an impersonated user');
    expect(plane.user('bob', { by: 'impersonation' }).client(CoreV1Api, { socket: true })).toBeDefined();
  });

  it('refuses an option that does not exist', () => {
    const options = JSON.parse('{"sockets":true}');
    expect(() => plane.client(CoreV1Api, options)).toThrow(
      'options of a client.sockets: unknown field (known: socket)',
    );
  });

  it('watches without a socket', async () => {
    const watch = new Watch(plane.kubeConfig(KubeConfig));
    const path = '/api/v1/namespaces/default/configmaps';
    const event = Promise.withResolvers<string>();
    const abort = await watch.watch(path, { fieldSelector: 'metadata.name=watched' }, event.resolve, event.reject);
    await plane
      .client(CoreV1Api)
      .createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'watched' } } });
    expect(await event.promise).toBe('ADDED');
    abort.abort();
  });
});
