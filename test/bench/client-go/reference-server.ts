import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AdminClient, readCredentials } from '../../harness/admin-client.ts';
import type { ApiServer } from '../../harness/api-server.ts';
import { freePort } from '../../harness/free-port.ts';
import { compileUpstream } from '../../upstream/upstream-folder.ts';
import { startBenchEtcd } from '../bench-etcd.ts';

const READY_ATTEMPTS = 600;

/** A server to measure against. */
export interface ReferenceServer extends AsyncDisposable {
  /** Path of a kubeconfig with the credentials of our administrator. */
  readonly kubeconfig: string;
}

/**
 * Compiles and starts a server of upstream's modules on an etcd of its own. It serves ConfigMaps to the clients of our
 * server, with the same certificates. Throws if it does not compile or start.
 */
export async function startReference(folder: string, ours: ApiServer): Promise<ReferenceServer> {
  const program = compileUpstream('reference', folder);
  await using stack = new AsyncDisposableStack();
  const etcd = stack.use(await startBenchEtcd());
  const port = await freePort();
  const pki = join(ours.dataDirectory, 'pki');
  const flags = [
    `--etcd-servers=${etcd.url}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--client-ca-file=${join(pki, 'ca.crt')}`,
    `--tls-cert-file=${join(pki, 'apiserver.crt')}`,
    `--tls-private-key-file=${join(pki, 'apiserver.key')}`,
  ];
  const child = spawn(program, flags, { stdio: ['pipe', 'ignore', 'pipe'] });
  stack.defer(() => ended(child));
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4_000);
  });
  const kubeconfig = join(folder, 'reference.kubeconfig');
  const { server } = readCredentials(ours.kubeconfig);
  writeFileSync(kubeconfig, readFileSync(ours.kubeconfig, 'utf8').replace(server, `https://127.0.0.1:${port}`));
  for (let i = 0; !(await isReady(kubeconfig)); i++) {
    if (child.exitCode !== null || i === READY_ATTEMPTS) throw new Error(`the reference does not start: ${log}`);
    await setTimeout(100);
  }
  const kept = stack.move();
  return { kubeconfig, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function isReady(kubeconfig: string): Promise<boolean> {
  using client = new AdminClient(kubeconfig);
  try {
    return (await client.request('GET', '/readyz')).status === 200;
  } catch {
    return false;
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
