import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { makeIssuerKey, startTestIssuer, type TestIssuer } from '@apiserver/authentication/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AdminClient, readCredentials } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { tokenKubeconfig } from '../harness/token-kubeconfig.ts';

const missing = kubectlMissing();

/** A file with some issuers. Only the health of the server is open to everybody. */
function configurationOf(issuers: readonly TestIssuer[]): string {
  const jwt = issuers.map(({ url, authority }) => ({
    issuer: { url, audiences: ['client', 'other'], audienceMatchPolicy: 'MatchAny', certificateAuthority: authority },
    claimValidationRules: [{ expression: "claims.hd == 'example.com'", message: 'the hosted domain must be ours' }],
    claimMappings: {
      username: { expression: "claims.sub + ':oidc'" },
      groups: { expression: 'has(claims.roles) ? dyn(claims.roles).map(role, "oidc:" + role) : []' },
      uid: { claim: 'sub' },
      extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
    },
    userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
  }));
  const anonymous = { enabled: true, conditions: [{ path: '/livez' }] };
  return JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt,
    anonymous,
  });
}

describe.skipIf(missing !== undefined)(`kubectl and tokens${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const resources = new AsyncDisposableStack();
  const folder = resources.use(temporaryDirectory('authentication'));
  const file = join(folder.path, 'authentication.json');
  let issuer: TestIssuer;
  let server: ApiServer;
  let admin: Kubectl;

  beforeAll(async () => {
    issuer = resources.use(await startTestIssuer());
    writeFileSync(file, configurationOf([issuer]));
    server = resources.use(
      await startApiServer({
        args: ['--authorization-mode=RBAC', `--authentication-config=${file}`, '--enable-bootstrap-token-auth'],
      }),
    );
    admin = resources.use(new Kubectl(server.kubeconfig));
  });
  afterAll(() => resources.disposeAsync());

  const claims = { hd: 'example.com', roles: ['dev'], tenant: 't1' };
  const withToken = (token: string) => new Kubectl(tokenKubeconfig(server, folder.path, token));
  const whoami = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo}'];

  async function userOf(token: string): Promise<unknown> {
    using kubectl = withToken(token);
    const { code, stdout, stderr } = await kubectl.run(whoami);
    return code === 0 ? JSON.parse(stdout) : stderr.trim();
  }

  it('proves the users of an issuer', async () => {
    await vi.waitFor(
      async () =>
        expect(await userOf(issuer.token(claims))).toEqual({
          username: 'alice:oidc',
          uid: 'alice',
          groups: ['oidc:dev', 'system:authenticated'],
          extra: { 'example.com/tenant': ['t1'] },
        }),
      { timeout: 30_000 },
    );
    await admin.ok(['create', 'role', 'reader', '--verb=list', '--resource=configmaps']);
    await admin.ok(['create', 'rolebinding', 'reader', '--role=reader', '--group=oidc:dev']);
    using alice = withToken(issuer.token(claims));
    expect((await alice.run(['get', 'configmaps'])).code).toBe(0);
    expect((await alice.run(['get', 'secrets'])).stderr).toContain('User "alice:oidc" cannot list resource "secrets"');
  });

  it('refuses users against the rules, and expired tokens', async () => {
    const refused = /Unauthorized|must be logged in/;
    expect(await userOf(issuer.token({ ...claims, hd: 'else.example' }))).toMatch(refused);
    expect(await userOf(issuer.token({ ...claims, sub: 'system:admin' }))).toMatch(refused);
    expect(await userOf(issuer.token(claims, { now: 0 }))).toMatch(refused);
    expect(await userOf(issuer.token(claims, { key: makeIssuerKey('other') }))).toMatch(refused);
    expect(server.stderr).toContain(
      "validation expression 'claims.hd == 'example.com'' failed: the hosted domain must",
    );
  });

  it('takes the tokens of a new key, and of a new issuer after the file has changed', async () => {
    issuer.keys = [makeIssuerKey('k2', 'RS256')];
    expect(await userOf(issuer.token(claims))).toMatchObject({ username: 'alice:oidc' });
    const second = resources.use(await startTestIssuer());
    writeFileSync(`${file}.new`, configurationOf([issuer, second]));
    renameSync(`${file}.new`, file);
    await vi.waitFor(
      async () => expect(await userOf(second.token({ ...claims, sub: 'bob' }))).toMatchObject({ username: 'bob:oidc' }),
      { timeout: 30_000 },
    );
  });

  it('serves anonymous requests of the given paths alone', async () => {
    const { server: url, ca } = readCredentials(server.kubeconfig);
    const status = (path: string) =>
      new Promise((resolve, reject) => {
        request(new URL(path, url), { ca, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect([await status('/livez'), await status('/readyz'), await status('/version')]).toEqual([200, 401, 401]);
  });

  it('lets a node join with a bootstrap token', async () => {
    using client = new AdminClient(server.kubeconfig);
    const stringData = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' };
    const usage = { 'usage-bootstrap-authentication': 'true', 'auth-extra-groups': 'system:bootstrappers:workers' };
    const secret = { metadata: { name: 'bootstrap-token-abcdef' }, type: 'bootstrap.kubernetes.io/token' };
    const path = '/api/v1/namespaces/kube-system/secrets';
    const made = await client.request('POST', path, { ...secret, stringData: { ...stringData, ...usage } });
    expect(made.status).toBe(201);
    expect(await userOf('abcdef.0123456789abcdef')).toEqual({
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:workers', 'system:authenticated'],
    });
    expect(await userOf('abcdef.0123456789abcdeg')).toMatch(/Unauthorized|must be logged in/);
  });
});
