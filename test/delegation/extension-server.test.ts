import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSampleServer } from '../../examples/sample-apiserver/src/create-sample-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { type CoreServer, EXTENSION_USER, startCoreServer } from './core-server.ts';

const missing = kubectlMissing();
const PATH = '/apis/wardle.example.com/v1/namespaces/sea/flunders';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const flunder = JSON.stringify({
  apiVersion: 'wardle.example.com/v1',
  kind: 'Flunder',
  metadata: { name: 'one', namespace: 'sea' },
  spec: { reference: 'two' },
});

describe.skipIf(missing !== undefined)(`an extension server${missing ? ` (skipped: ${missing})` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let core: CoreServer;
  let alice: Kubectl;
  let bob: Kubectl;
  let address: string;

  beforeAll(async () => {
    core = stack.use(await startCoreServer());
    const { admin } = core;
    address = await startExtensionServer();
    await admin.json('POST', '/api/v1/namespaces', { metadata: { name: 'sea' } });
    const rules = [{ apiGroups: ['wardle.example.com'], resources: ['flunders'], verbs: ['*'] }];
    await admin.json('POST', `${RBAC}/namespaces/sea/roles`, { metadata: { name: 'fisher' }, rules });
    await admin.json('POST', `${RBAC}/namespaces/sea/rolebindings`, {
      metadata: { name: 'fisher' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'fisher' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
    });
    await register(Number(new URL(address).port));
    alice = stack.use(new Kubectl(core.kubeconfigOf('alice')));
    bob = stack.use(new Kubectl(core.kubeconfigOf('bob')));
    const find = () => alice.ok(['api-resources', '--api-group=wardle.example.com', '-o', 'name']);
    await vi.waitFor(async () => expect(await find()).toContain('flunders'), { timeout: 30_000 });
  }, 30_000);
  afterAll(() => stack.disposeAsync());

  async function startExtensionServer(): Promise<string> {
    const kubeconfig = core.kubeconfigOf(EXTENSION_USER);
    const flags = [
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      `--tls-cert-file=${core.write('flunders.crt', serving.certificate)}`,
      `--tls-private-key-file=${core.write('flunders.key', serving.key)}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
    ];
    const { logger } = createTestLogger();
    const server = stack.use(await createSampleServer(flags, { storage: createMemoryStore(), logger }));
    return server.listen();
  }

  const serving = makeTestCertificate({ commonName: 'flunders', hosts: ['flunders.sea.svc', 'localhost'] });

  async function register(port: number): Promise<void> {
    await core.admin.json('POST', '/api/v1/namespaces/sea/services', {
      metadata: { name: 'flunders' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
    });
    await core.admin.json('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: 'v1.wardle.example.com' },
      spec: {
        group: 'wardle.example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        caBundle: Buffer.from(serving.certificate).toString('base64'),
        service: { namespace: 'sea', name: 'flunders', port },
      },
    });
  }

  it('serves the users of the core server whom it allows', async () => {
    expect(await alice.ok(['create', '-f', '-'], flunder)).toBe('flunder.wardle.example.com/one created\n');
    expect(await alice.ok(['get', 'flunders', '-n', 'sea', '-o', 'name'])).toBe('flunder.wardle.example.com/one\n');
  });

  it('refuses the others with the reason of the core server', async () => {
    const { code, stderr } = await bob.run(['get', 'flunders', '-n', 'sea']);
    expect([code, stderr]).toEqual([
      1,
      'Error from server (Forbidden): flunders.wardle.example.com is forbidden: User "bob" cannot list resource "flunders" in API group "wardle.example.com" in the namespace "sea"\n',
    ]);
  });

  it('serves the administrator of the core server', async () => {
    const admin = stack.use(new Kubectl(core.server.kubeconfigPath ?? ''));
    expect(await admin.ok(['get', 'flunders', '-n', 'sea', '-o', 'name'])).toBe('flunder.wardle.example.com/one\n');
  });

  it('takes tokens of the core server straight', async () => {
    const authority = core.write('flunders-ca.crt', serving.certificate);
    const straight = (token: string) =>
      alice.run([
        'get',
        '--raw',
        PATH,
        `--server=${address.replace('127.0.0.1', 'localhost')}`,
        `--certificate-authority=${authority}`,
        `--token=${token}`,
      ]);
    expect(JSON.parse((await straight('alice-token')).stdout)).toMatchObject({ kind: 'FlunderList' });
    expect((await straight('bob-token')).stderr).toContain('User "bob" cannot list resource "flunders"');
    expect((await straight('no-token')).stderr).toContain('Unauthorized');
  });
});
