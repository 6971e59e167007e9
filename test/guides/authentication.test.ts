import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startTestIssuer } from '@apiserver/authentication/testing';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { afterEach, expect, it, vi } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

const example = (name: string) => readFileSync(join(import.meta.dirname, 'authentication', name), 'utf8');
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** A server in this process with a configuration file. */
async function serverWith(file: string, ...flags: string[]) {
  const dataDirectory = stack.use(temporaryDirectory('authentication')).path;
  const path = join(dataDirectory, 'authentication.yaml');
  writeFileSync(path, file);
  const all = [`--authentication-config=${path}`, '--authorization-mode=RBAC', ...flags];
  const server = stack.use(await startKubeApiserver({ dataDirectory, storageBackend: 'memory', flags: all }));
  const { ca, cert, key } = readCredentials(server.kubeconfigPath ?? '');
  const send = (method: string, target: string, options: object, body?: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
    request(`${server.address}${target}`, { method, ca, agent: false, ...options }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    })
      .on('error', reject)
      .end(body);
    return promise;
  };
  return {
    anonymously: async (target: string) => (await send('GET', target, {})).status,
    admin: (method: string, target: string, body: string) =>
      send(method, target, { cert, key, headers: { 'content-type': 'application/yaml' } }, body),
    /** The user that a token proves, or the code of the refusal. */
    async userOf(token: string) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
      const { status, body } = await send('POST', SELF, { headers }, review);
      return status === 201 ? JSON.parse(body).status.userInfo : status;
    },
  };
}

it('maps and checks the claims of an issuer', async () => {
  const issuer = stack.use(await startTestIssuer());
  const authority = issuer.authority.trim().replaceAll('\n', '\n      ');
  const file = example('issuer.yaml')
    .replace('https://issuer.example.com', issuer.url)
    .replace('    audiences:', `    certificateAuthority: |\n      ${authority}\n    audiences:`);
  const { userOf } = await serverWith(file);
  const seconds = Math.floor(Date.now() / 1000);
  const claims = {
    aud: 'my-other-app',
    hd: 'example.com',
    nbf: seconds,
    username: 'jane',
    roles: 'dev,ops',
    sub: 'auth',
    tenant: 't1',
  };
  await vi.waitFor(
    async () =>
      expect(await userOf(issuer.token(claims))).toEqual({
        username: 'jane:external-user',
        uid: 'auth',
        groups: ['dev', 'ops', 'system:authenticated'],
        extra: { 'example.com/tenant': ['t1'] },
      }),
    { timeout: 30_000 },
  );
  const wrong = [
    { hd: 'else' },
    { nbf: seconds - 90_000 },
    { username: 'system:x' },
    { roles: 'system:masters' },
    { aud: 'x' },
  ];
  for (const change of wrong) expect(await userOf(issuer.token({ ...claims, ...change }))).toBe(401);
});

it('serves the paths of health to everybody', async () => {
  const { anonymously } = await serverWith(example('anonymous.yaml'));
  expect(await Promise.all(['/livez', '/readyz', '/healthz', '/version', '/api'].map(anonymously))).toEqual([
    ...[200, 200, 200, 401, 401],
  ]);
});

it('lets a node join', async () => {
  const { admin, userOf } = await serverWith(example('anonymous.yaml'), '--enable-bootstrap-token-auth');
  const secret = example('bootstrap-token.yaml');
  expect((await admin('POST', '/api/v1/namespaces/kube-system/secrets', secret)).status).toBe(201);
  expect(await userOf('07401b.f395accd246ae52d')).toEqual({
    username: 'system:bootstrap:07401b',
    groups: ['system:bootstrappers', 'system:bootstrappers:worker', 'system:authenticated'],
  });
});
