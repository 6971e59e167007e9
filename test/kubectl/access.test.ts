import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { tokenKubeconfig } from '../harness/token-kubeconfig.ts';

const missing = kubectlMissing();

const SECRETS = '/api/v1/namespaces/default/secrets';

describe.skipIf(missing !== undefined)(`kubectl and RBAC${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let admin: Kubectl;

  beforeAll(async () => {
    server = await startApiServer({ args: ['--authorization-mode=RBAC'] });
    admin = new Kubectl(server.kubeconfig);
    await admin.ok(['create', 'role', 'reader', '--verb=get,list', '--resource=configmaps']);
    await admin.ok(['create', 'rolebinding', 'reader', '--role=reader', '--user=bob']);
  });
  afterAll(async () => {
    admin?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('auth whoami', async () => {
    const whoami = await admin.ok([
      'auth',
      'whoami',
      '--as=bob',
      '--as-group=dev',
      '-o',
      'jsonpath={.status.userInfo}',
    ]);
    expect(JSON.parse(whoami)).toEqual({ username: 'bob', groups: ['dev', 'system:authenticated'] });
  });

  it('auth can-i, as several users', async () => {
    const canI = async (...args: string[]) => (await admin.run(['auth', 'can-i', ...args])).stdout.trim();
    expect([
      await canI('delete', 'nodes'),
      await canI('list', 'configmaps', '--as=bob'),
      await canI('create', 'configmaps', '--as=bob'),
      await canI('list', 'configmaps', '--as=bob', '-n', 'kube-system'),
      await canI('list', 'secrets', '--as=system:serviceaccount:default:x'),
      await canI('get', '/healthz', '--as=amy'),
    ]).toEqual(['yes', 'yes', 'no', 'no', 'no', 'yes']);
  });

  it('lists and watches of one name ask for that object', async () => {
    const verbs = '--verb=get,list,watch';
    await admin.ok(['create', 'role', 'one', verbs, '--resource=secrets', '--resource-name=mine']);
    await admin.ok(['create', 'rolebinding', 'one', '--role=one', '--user=carl']);
    for (const name of ['mine', 'yours']) await admin.ok(['create', 'secret', 'generic', name]);
    const as = async (query: string) => {
      const { code, stdout, stderr } = await admin.run(['get', '--as=carl', '--raw', SECRETS + query]);
      if (code !== 0) return /forbidden/i.test(stderr) ? 'forbidden' : stderr;
      return [...stdout.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name).join();
    };
    const one = '?fieldSelector=metadata.name%3D';
    expect([
      await as(''),
      await as(`${one}yours`),
      await as(`${one}mine,metadata.name!%3Dyours`),
      await as(`${one}mine`),
      await as(`${one}mine&watch=1&timeoutSeconds=1`),
      await as(`${one}yours&watch=1&timeoutSeconds=1`),
    ]).toEqual(['forbidden', 'forbidden', 'mine', 'mine', 'mine', 'forbidden']);
  });

  it('auth can-i --list', async () => {
    const list = (await admin.ok(['auth', 'can-i', '--list', '--as=bob', '--no-headers'])).split('\n');
    const words = list.map((line) => line.trim().split(/\s{2,}/));
    expect(words).toContainEqual(['configmaps', '[]', '[]', '[get list]']);
    expect(words).toContainEqual(['[/healthz]', '[]', '[get]']);
  });

  it('lets no user grant more than its own rights', async () => {
    await admin.ok(['create', 'role', 'manager', '--verb=get,create,update', '--resource=roles,rolebindings']);
    await admin.ok(['create', 'rolebinding', 'manager', '--role=manager', '--user=bob']);
    const grant = (verb: string) =>
      admin.run(['create', 'role', `can-${verb}`, `--verb=${verb}`, '--resource=configmaps', '--as=bob']);
    expect((await grant('get')).code).toBe(0);
    expect((await grant('update')).stderr).toContain(
      'is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["configmaps"], Verbs:["update"]}',
    );
    const bind = await admin.run(['create', 'rolebinding', 'up', '--clusterrole=admin', '--user=bob', '--as=bob']);
    expect(bind.stderr).toContain('rolebindings.rbac.authorization.k8s.io "up" is forbidden');
  });

  it('create token: it works as its account until that is gone', async () => {
    using folder = temporaryDirectory('token');
    await admin.ok(['create', 'serviceaccount', 'robot']);
    const token = (await admin.ok(['create', 'token', 'robot'])).trim();
    using robot = new Kubectl(tokenKubeconfig(server, folder.path, token));
    const name = await robot.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']);
    expect(name).toBe('system:serviceaccount:default:robot');
    expect((await robot.run(['get', 'configmaps'])).stderr).toContain(
      'User "system:serviceaccount:default:robot" cannot list resource "configmaps"',
    );
    await admin.ok(['create', 'rolebinding', 'robot', '--role=reader', '--serviceaccount=default:robot']);
    expect((await robot.run(['get', 'configmaps'])).code).toBe(0);
    expect(JSON.parse(await robot.ok(['get', '--raw', '/openid/v1/jwks'])).keys.length).toBe(1);
    // A token that was used stays known for 10 seconds.
    const unseen = (await admin.ok(['create', 'token', 'robot'])).trim();
    await admin.ok(['delete', 'serviceaccount', 'robot']);
    using late = new Kubectl(tokenKubeconfig(server, folder.path, unseen));
    expect((await late.run(['get', 'configmaps'])).stderr).toMatch(/Unauthorized|must be logged in/);
  });
});
