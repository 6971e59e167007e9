import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf } from '@apiserver/apimachinery/errors';
import { startKubeApiserver } from '@apiserver/kube-apiserver';
import { afterEach, describe, expect, it } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { type SentReview, startFakeWebhook, type Verdict } from '../webhooks/fake-webhook.ts';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

const example = (name: string) => readFileSync(join(import.meta.dirname, 'authorization', name), 'utf8');

/** The users of these tests, and their groups. */
const USERS = { ann: 'admins', dashboard: 'tools', vera: 'vault', robot: 'system:serviceaccounts:kube-system' };

/** A server in this process. `ask` sends a GET as a user, and returns its code, and the message of a refusal. */
async function serverWith(...flags: string[]) {
  const dataDirectory = stack.use(temporaryDirectory('authorization')).path;
  const tokens = join(dataDirectory, 'tokens.csv');
  writeFileSync(
    tokens,
    Object.entries(USERS)
      .map(([name, group]) => `${name}-token,${name},${name},"${group}"`)
      .join('\n'),
  );
  const all = [`--token-auth-file=${tokens}`, ...flags];
  const server = stack.use(await startKubeApiserver({ dataDirectory, storageBackend: 'memory', flags: all }));
  const { ca, cert, key } = readCredentials(server.kubeconfigPath ?? '');
  const send = (path: string, options: object, method = 'GET', body?: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
    request(`${server.address}${path}`, { method, ca, agent: false, ...options }, async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    })
      .on('error', reject)
      .end(body);
    return promise;
  };
  return {
    async ask(user: keyof typeof USERS, path: string, method = 'GET') {
      const { status, body } = await send(path, { headers: { authorization: `Bearer ${user}-token` } }, method);
      if (status < 400) return String(status);
      // A 500 is plain text.
      return `${status} ${body.startsWith('{') ? JSON.parse(body).message : body.trim()}`;
    },
    admin: (method: string, path: string, body: string) =>
      send(path, { cert, key, headers: { 'content-type': 'application/yaml' } }, method, body),
    metrics: async () => (await send('/metrics', { cert, key })).body.split('\n'),
  };
}

const secrets = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
const cannotList = (user: string, namespace: string) =>
  `403 secrets is forbidden: User "${user}" cannot list resource "secrets" in API group "" in the namespace "${namespace}"`;

it('a policy file', async () => {
  const policies = join(stack.use(temporaryDirectory('policies')).path, 'policies.jsonl');
  writeFileSync(policies, example('policies.jsonl'));
  const server = await serverWith('--authorization-mode=ABAC', `--authorization-policy-file=${policies}`);
  expect([
    await server.ask('ann', secrets('default')),
    await server.ask('ann', '/metrics'),
    await server.ask('dashboard', secrets('default')),
    await server.ask('dashboard', '/metrics'),
    await server.ask('dashboard', '/apis'),
    await server.ask('dashboard', '/openapi/v3'),
    await server.ask('dashboard', secrets('default'), 'DELETE'),
  ]).toEqual([
    '200',
    '200',
    '200',
    '403 forbidden: User "dashboard" cannot get path "/metrics": No policy matched.',
    '200',
    '200',
    '403 secrets is forbidden: User "dashboard" cannot deletecollection resource "secrets" in API group "" in the namespace "default": No policy matched.',
  ]);
});

describe('a chain in a file', () => {
  async function chainWith(verdictOf: (review: SentReview) => Verdict | Promise<Verdict>) {
    const hook = stack.use(await startFakeWebhook(verdictOf));
    const file = join(stack.use(temporaryDirectory('chain')).path, 'chain.yaml');
    const written = (changes: (chain: string) => string) => {
      const chain = example('chain.yaml').replace('/etc/kubernetes/vault.kubeconfig', hook.kubeconfig());
      writeFileSync(`${file}.new`, changes(chain));
      renameSync(`${file}.new`, file);
    };
    written((chain) => chain);
    return { hook, written, server: await serverWith(`--authorization-config=${file}`) };
  }

  it('asks the webhook if its conditions are true', async () => {
    const { hook, server } = await chainWith(({ spec: { user } }) =>
      user === 'vera' ? { allowed: true } : { allowed: false, denied: true, reason: `not ${user}` },
    );
    expect([
      await server.ask('vera', secrets('vault')),
      await server.ask('vera', secrets('vault')),
      await server.ask('ann', secrets('vault')),
      await server.ask('robot', secrets('vault')),
      await server.ask('vera', secrets('default')),
      await server.ask('vera', '/logs'),
    ]).toEqual([
      '200',
      '200',
      `${cannotList('ann', 'vault')}: not ann`,
      cannotList('robot', 'vault'),
      cannotList('vera', 'default'),
      '403 forbidden: User "vera" cannot get path "/logs"',
    ]);
    expect(hook.reviews.map(({ spec: { user } }) => user)).toEqual(['vera', 'ann']);
    const metrics = await server.metrics();
    const prefix = 'apiserver_authorization_';
    expect(metrics).toEqual(
      expect.arrayContaining([
        `${prefix}decisions_total{decision="allowed",name="vault",type="Webhook"} 2`,
        `${prefix}decisions_total{decision="denied",name="vault",type="Webhook"} 1`,
        `${prefix}match_condition_exclusions_total{name="vault",type="Webhook"} 3`,
        `${prefix}webhook_evaluations_total{name="vault",result="success"} 2`,
      ]),
    );
  });

  it.each<[what: string, verdict: () => Verdict | Promise<Verdict>, message: RegExp]>([
    ['talks nonsense', () => 'nonsense', /^500 Internal Server Error: "\/api\/v1\/namespaces\/vault\/secrets": /],
    [
      'reviews something else',
      () => '{"kind":"Pod","apiVersion":"v1"}',
      /^500 .*no kind "Pod" is registered for version "v1"/,
    ],
    ['refuses the question', () => 400, /^500 /],
    ['does not respond', () => new Promise(() => {}), /^500 .*(deadline|timeout|Timeout)/],
  ])('refuses where the webhook %s, and only there', async (_what, verdict, message) => {
    const { server, written } = await chainWith(verdict);
    written((chain) => chain.replace('timeout: 3s', 'timeout: 300ms'));
    await expect.poll(() => reloads(server, 'success')).toBe(2);
    expect(await server.ask('vera', secrets('vault'))).toMatch(message);
    expect(await server.ask('vera', secrets('default'))).toBe(cannotList('vera', 'default'));
    written((chain) =>
      chain.replace('timeout: 3s', 'timeout: 300ms').replace('failurePolicy: Deny', 'failurePolicy: NoOpinion'),
    );
    await expect.poll(() => reloads(server, 'success')).toBe(3);
    expect(await server.ask('vera', secrets('vault'))).toMatch(message);
    const metrics = await server.metrics();
    const failedOpen = 'apiserver_authorization_webhook_evaluations_fail_open_total{name="vault",result="';
    expect(metrics.filter((line) => line.startsWith(failedOpen)).map((line) => line.slice(-2))).toEqual([' 1']);
  });

  it('follows the file, and keeps the last good content', async () => {
    const { server, written } = await chainWith(() => ({ allowed: true }));
    expect([await server.ask('vera', secrets('vault')), await reloads(server, 'failure')]).toEqual(['200', 0]);
    written((chain) => chain.replace('name: rbac', 'name: roles'));
    await expect.poll(() => reloads(server, 'failure')).toBe(1);
    written((chain) => chain.replace(/- type: Node\n.*\n/, ''));
    await expect.poll(() => reloads(server, 'failure')).toBe(2);
    expect(await server.ask('vera', secrets('vault'))).toBe('200');
    written((chain) => chain.replace("namespace == 'vault'", "namespace == 'safe'"));
    await expect.poll(() => server.ask('vera', secrets('vault'))).toBe(cannotList('vera', 'vault'));
    expect(await server.ask('vera', secrets('safe'))).toBe('200');
    const [info, ...more] = (await server.metrics()).filter((line) =>
      line.includes('config_controller_last_config_info{'),
    );
    expect([/hash="sha256:[0-9a-f]{64}"} 1$/.test(info ?? ''), more]).toEqual([true, []]);
  });

  const reloads = async ({ metrics }: { metrics(): Promise<string[]> }, status: string) => {
    const name = 'apiserver_authorization_config_controller_automatic_reloads_total';
    const line = (await metrics()).find((one) => one.startsWith(`${name}{`) && one.includes(`status="${status}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
});

it('a role for an agent', async () => {
  const server = await serverWith('--authorization-mode=RBAC');
  const { status } = await server.admin(
    'POST',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    example('own-node.yaml'),
  );
  expect(status).toBe(201);
});

describe('flags of authorization', () => {
  const outcome = async (...flags: string[]) => {
    try {
      await serverWith(...flags);
      return 'started';
    } catch (error) {
      return messageOf(error);
    }
  };
  it.each<[flags: string[], message: string]>([
    [
      ['--authorization-config=/none', '--authorization-mode=RBAC'],
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    ],
    [
      ['--authorization-config=/none', '--authorization-webhook-version=v1'],
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    ],
    [['--authorization-config=/none'], 'open /none: no such file or directory'],
    [['--authorization-mode=ABAC'], "authorization-mode ABAC's authorization policy file not passed"],
    [['--authorization-policy-file=/none'], 'cannot specify --authorization-policy-file without mode ABAC'],
    [
      ['--authorization-mode=ABAC', '--authorization-policy-file=/none'],
      'invalid authorization config: open /none: no such file or directory',
    ],
    [['--authorization-mode=Node,Node'], 'authorization-mode ["Node" "Node"] has mode specified more than once'],
  ])('%j: %s', async (flags, message) => {
    expect(await outcome(...flags)).toBe(message);
  });
});
