import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { binary, temporaryDirectory } from '../harness/api-server.ts';
import { freePort } from '../harness/free-port.ts';
import { consoleExamples } from './console-examples.ts';

const START = readFileSync(join(import.meta.dirname, 'several-servers/start.sh'), 'utf8');
const ENDPOINTS = '/api/v1/namespaces/default/endpoints/kubernetes';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

/** Runs the commands of the page, with free ports in place of its own. Returns clients of both servers. */
async function startAsOnThePage() {
  const { path: folder } = stack.use(temporaryDirectory('several-servers'));
  const etcd = stack.use(await startEtcd());
  const ports = { 6443: await freePort(), 6444: await freePort() };
  writeFileSync(join(folder, 'kube-apiserver'), `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`, {
    mode: 0o755,
  });
  const commands = START.replace(/^etcd .*$/m, '')
    .replace(/(?<==)(?:6443|6444)\b/g, (port) => `${ports[port as '6443' | '6444']} --bind-address=127.0.0.1`)
    .replaceAll('http://127.0.0.1:2379', etcd.url);
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  // A process group of its own, which has the servers in the background too.
  const shell = spawn('bash', ['-ec', `${commands}\nwait`], { cwd: folder, env, detached: true, stdio: 'ignore' });
  stack.defer(async () => {
    const hasEnded = shell.exitCode !== null || shell.signalCode !== null;
    const ended = hasEnded ? undefined : once(shell, 'exit');
    try {
      process.kill(-(shell.pid ?? 0), 'SIGKILL');
    } catch {
      // A command failed, and nothing is left.
    }
    await ended;
  });
  const client = async (name: string) => {
    const kubeconfig = join(folder, name, 'admin.kubeconfig');
    await expect.poll(() => readFileSync(kubeconfig, 'utf8'), { timeout: 30_000 }).toContain('client-key-data');
    const admin = stack.use(new AdminClient(kubeconfig));
    // The kubeconfig is written before the server is ready: the namespace default may not exist yet.
    await expect.poll(async () => (await admin.request('GET', '/readyz')).status, { timeout: 30_000 }).toBe(200);
    return admin;
  };
  return { one: await client('one'), two: await client('two'), ports: Object.values(ports) };
}

describe.skipIf(findEtcd() === undefined)(`docs/several-servers.md (${NO_ETCD})`, () => {
  it('has commands that start two servers of one cluster', { timeout: 120_000 }, async () => {
    const { one, two, ports } = await startAsOnThePage();
    const made = await one.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
    const read = await two.request('GET', '/api/v1/namespaces/default/configmaps/a');
    expect([made.status, read.status]).toEqual([201, 200]);
    const tokens = '/api/v1/namespaces/default/serviceaccounts/default/token';
    await expect.poll(async () => (await one.request('POST', tokens, {})).status, { timeout: 30_000 }).toBe(201);
    const { token } = (await one.json('POST', tokens, {}))['status'] as { token: string };
    const review = await two.json('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    expect(review['status']).toMatchObject({ authenticated: true });
    const [example] = consoleExamples('docs/several-servers.md');
    const addresses = [...(example?.lines[0] ?? '').matchAll(/192\.0\.2\.\d/g)].map(([ip]) => ({ ip }));
    expect(addresses).toHaveLength(2);
    // Two machines would have one port. Here each server writes its own.
    await expect
      .poll(async () => (await two.json('GET', ENDPOINTS))['subsets'], { timeout: 30_000 })
      .toMatchObject([{ addresses, ports: [{ port: expect.toBeOneOf(ports) }] }]);
  });
});
