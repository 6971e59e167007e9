import { request } from 'node:https';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXTENSION_USER, startCoreServer } from '../delegation/core-server.ts';
import { AdminClient } from '../harness/admin-client.ts';
import { freePort } from '../harness/free-port.ts';
import { GuideProject } from './guide-project.ts';

const BOATS = '/apis/harbour.example.com/v1/namespaces/sea/boats';
const FULL_BOATS = BOATS.replace('/sea/', '/default/');
const boat = { apiVersion: 'harbour.example.com/v1', kind: 'Boat', metadata: { name: 'minnow' }, spec: { berths: 7 } };
const HTTPS = /https:\/\/127\.0\.0\.1:\d+/;

let stack: AsyncDisposableStack;
let project: GuideProject;
beforeEach(() => {
  stack = new AsyncDisposableStack();
  project = stack.use(new GuideProject('own-kind'));
});
afterEach(() => stack.disposeAsync());

/** Statuses of a create and of a list, as the administrator of a kubeconfig. */
async function sail(kubeconfig: string): Promise<readonly number[]> {
  const admin = stack.use(new AdminClient(kubeconfig));
  return [(await admin.request('POST', BOATS, boat)).status, (await admin.request('GET', BOATS)).status];
}

describe('docs/serving-your-own-kind.md', () => {
  it('main.ts serves boats until it is interrupted', async () => {
    const program = project.run('main');
    await program.prints(/listening on https:/);
    await expect.poll(() => sail(join(program.folder, 'harbour.kubeconfig'))).toEqual([201, 200]);
    expect(await program.stop('SIGINT')).toBe(0);
  });
});

describe('docs/embedding.md', () => {
  it('serves boats alone', async () => {
    const program = project.run('stand-alone');
    await program.prints(HTTPS);
    await expect.poll(() => sail(join(program.folder, 'harbour.kubeconfig'))).toEqual([201, 200]);
  });

  it('serves boats in an express app', async () => {
    const program = project.run('in-express', [], { PORT: String(await freePort()) });
    const url = await program.prints(/http:\/\/127\.0\.0\.1:\d+/);
    expect(await (await fetch(url)).text()).toBe('the harbour');
    const ask = async (method: string, session?: string) => {
      const body = method === 'POST' ? { body: JSON.stringify(boat) } : {};
      const headers = {
        'content-type': 'application/json',
        ...(session === undefined ? {} : { 'x-session': session }),
      };
      return (await fetch(`${url}${BOATS}`, { method, headers, ...body })).status;
    };
    expect([
      await ask('GET'),
      await ask('POST', 'sailor'),
      await ask('POST', 'captain'),
      await ask('GET', 'sailor'),
    ]).toEqual([401, 403, 201, 200]);
  });

  it('serves boats behind a core server, which decides about tokens and accesses', async () => {
    const core = stack.use(await startCoreServer());
    await core.admin.json('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'bob' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }],
    });
    const kubeconfig = core.kubeconfigOf(EXTENSION_USER);
    const program = project.run('extension', [
      ...['--bind-address=127.0.0.1', '--secure-port=0'],
      ...[`--authentication-kubeconfig=${kubeconfig}`, `--authorization-kubeconfig=${kubeconfig}`],
    ]);
    const url = await program.prints(HTTPS);
    const statuses = ['bob', 'alice', 'nobody'].map((user) => statusOf(`${url}${BOATS}`, `${user}-token`));
    expect(await Promise.all(statuses)).toEqual([200, 403, 401]);
  });

  it('extends a full server by a group, a plugin and a filter', async () => {
    const program = project.run('full-server');
    const printed = await program.prints(/https:\S+ \S+admin\.kubeconfig/);
    const admin = stack.use(new AdminClient(join(program.folder, printed.split(' ')[1] ?? '')));
    const created = await admin.request('POST', FULL_BOATS, boat);
    expect([created.status, created.headers['x-harbour']]).toEqual([201, 'north']);
    // The plugins of the flags run first, and want the account.
    await admin.request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
    const pod = (image: string) => ({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image }] } });
    expect(await admin.json('POST', '/api/v1/namespaces/default/pods?dryRun=All', pod('i:latest'))).toMatchObject({
      code: 403,
      message: 'pods "p" is forbidden: an image needs a version',
    });
  });
});

/** The status of a GET by the bearer of a token, from a server that has made its own certificate. */
function statusOf(url: string, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false };
    request(url, options, (response) => resolve(response.resume().statusCode))
      .once('error', reject)
      .end();
  });
}
