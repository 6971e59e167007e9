import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ControlPlane, startControlPlane } from '@apiserver/envtest';
import { planeTest } from '@apiserver/envtest/vitest';
import { describe, expect } from 'vitest';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';

const prepared = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'prepared' } };
const maps = '/api/v1/namespaces/default/configmaps';
const test = planeTest({ objects: prepared });

async function namesIn(plane: ControlPlane, path: string): Promise<string[]> {
  const { items } = Object(await (await plane.fetch(`${path}?fieldSelector=metadata.name!=kube-root-ca.crt`)).json());
  return items.map(({ metadata }: typeof prepared) => metadata.name);
}

// Each of these is a known complaint about the envtest of controller-runtime.
describe('a control plane', () => {
  test('ends the deletion of a namespace', async ({ plane }) => {
    await plane.install([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      { ...prepared, metadata: { name: 'inside', namespace: 'shop' } },
    ]);
    await plane.fetch('/api/v1/namespaces/shop', { method: 'DELETE' });
    await expect.poll(async () => (await plane.fetch('/api/v1/namespaces/shop')).status).toBe(404);
  });

  test('collects the dependents of a deleted owner, unless they become orphans', async ({ plane }) => {
    const [owner] = await plane.install({ ...prepared, metadata: { name: 'owner' } });
    const [keeper] = await plane.install({ ...prepared, metadata: { name: 'keeper' } });
    const dependentOf = (name: string, of: typeof owner) => ({
      ...prepared,
      metadata: {
        name,
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: of?.metadata.name, uid: of?.metadata.uid }],
      },
    });
    await plane.install([dependentOf('collected', owner), dependentOf('orphan', keeper)]);
    await plane.fetch(`${maps}/owner`, { method: 'DELETE' });
    await plane.fetch(`${maps}/keeper?propagationPolicy=Orphan`, { method: 'DELETE' });
    await expect.poll(() => namesIn(plane, maps)).toEqual(['orphan', 'prepared']);
  });

  for (const number of [1, 2]) {
    test(`has nothing of the tests before (${number})`, async ({ plane }) => {
      expect(await namesIn(plane, maps)).toEqual(['prepared']);
      await plane.install({ ...prepared, metadata: { name: 'left' } });
    });
  }

  test('needs no free port: planes that start at once have ports of their own', async () => {
    const planes = await Promise.all(Array.from({ length: 8 }, () => startControlPlane({ controllers: [] })));
    try {
      const statuses = await Promise.all(planes.map(async (plane) => (await plane.fetch('/readyz')).status));
      expect([new Set(planes.map(({ url }) => url)).size, new Set(statuses)]).toEqual([8, new Set([200])]);
    } finally {
      await Promise.all(planes.map((plane) => plane.stop()));
    }
  });

  test('has a webhook server that listens before anybody serves', async () => {
    await using plane = await startControlPlane({ controllers: [], webhookServer: (_, response) => response.end() });
    const { port } = new URL(plane.webhookServer.url);
    await expect(startListener(Number(port))).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test.for([
    ['ends', 'process.exit(0)'],
    ['crashes', "throw new Error('the test fails')"],
  ])('leaves no process and no file when its process %s without a stop', async ([, end]) => {
    using folder = temporaryDirectory('complaints');
    const temporary = join(folder.path, 'temporary');
    mkdirSync(temporary);
    const program = `
      import { startControlPlane } from '@apiserver/envtest';
      const plane = await startControlPlane();
      plane.kubeconfigFile();
      console.log(process.pid, process.getActiveResourcesInfo().includes('ProcessWrap'), plane.url);
      ${end};`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: repositoryRoot,
      env: { ...process.env, TMPDIR: temporary },
    }).catch((failed: { readonly stdout: string }) => failed);
    const [, hasChildren, url] = stdout.trim().split(' ');
    expect([hasChildren, readdirSync(temporary)]).toEqual(['false', []]);
    await expect(fetch(`${url}/readyz`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });
});

/** Listens on a port, and rejects if another program does. */
async function startListener(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  server.close();
}
