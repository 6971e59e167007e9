import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AdminClient, readCredentials } from '../../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../../harness/api-server.ts';
import { percentile } from '../measurement.ts';
import { printTable } from '../print-table.ts';
import type { Noise, NoiseKind } from './noise-process.ts';
import { beQuiet, type Experience, type Latencies } from './quiet-tenant.ts';

const KINDS: readonly NoiseKind[] = ['lists', 'watches', 'writes', 'long requests', 'wrong bodies'];
const CLIENTS = 300;
const SECONDS = 6;
const OBJECTS = 10_000;
const AT_ONCE = 32;

const COLLECTION = '/api/v1/namespaces/noisy/configmaps';
const OBJECT = '/api/v1/namespaces/quiet/configmaps/mine';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/quiet/leases/mine';

/** The token of the administrators, who are exempt, makes the noise too. */
const USERS = ['noisy-token,noisy,1', 'quiet-token,quiet,2', 'master-token,master,3,"system:masters"'];

/** Prints the latencies of a quiet tenant beside noisy ones, without and with priority and fairness. */
export async function measureTenants(binaries: readonly string[]): Promise<void> {
  for (const binary of binaries) {
    for (const isFair of [false, true]) await measureServer(binary, isFair);
  }
}

async function measureServer(binary: string, isFair: boolean): Promise<void> {
  using folder = temporaryDirectory('bench-tenants');
  const tokens = join(folder.path, 'tokens.csv');
  writeFileSync(tokens, `${USERS.join('\n')}\n`);
  const flags = [
    `--token-auth-file=${tokens}`,
    '--authorization-mode=AlwaysAllow',
    `--enable-priority-and-fairness=${isFair}`,
  ];
  await using server = await startApiServer({ args: flags, ...(binary !== '' && { binary }) });
  using admin = new AdminClient(server.kubeconfig);
  await makeObjects(admin);
  const quiet = {
    credentials: readCredentials(server.kubeconfig),
    token: 'quiet-token',
    object: OBJECT,
    lease: LEASE,
  };
  await beQuiet(quiet, 2_000);
  const rows = [['noise of 300 clients', '', ...columns('get'), ...columns('lease'), ...columns('livez')]];
  rows.push(rowOf('none', '', await beQuiet(quiet, SECONDS * 1_000)));
  const noises = [...KINDS.map((kind) => [kind, 'noisy-token'] as const), ['lists', 'master-token'] as const];
  for (const [kind, token] of noises) {
    const { server: url, ca } = quiet.credentials;
    using noise = await makeNoise({ kind, server: url, ca, token, clients: CLIENTS, collection: COLLECTION });
    // The noise needs a while to begin.
    await beQuiet(quiet, 1_000);
    rows.push(rowOf(kind, token === 'master-token' ? 'exempt' : '', await beQuiet(quiet, SECONDS * 1_000)));
    noise.end();
  }
  printTable(`a quiet tenant, ms; --enable-priority-and-fairness=${isFair}`, rows);
}

async function makeNoise(noise: Noise): Promise<{ end(): void } & Disposable> {
  const child: ChildProcess = fork(fileURLToPath(new URL('noise-process.ts', import.meta.url)));
  child.send(noise);
  await once(child, 'message');
  const end = () => void child.kill();
  return { end, [Symbol.dispose]: end };
}

async function makeObjects(admin: AdminClient): Promise<void> {
  for (const name of ['noisy', 'quiet']) {
    await admin.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const configMap = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { a: 'x'.repeat(800) },
  });
  for (let made = 0; made < OBJECTS; made += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => admin.request('POST', COLLECTION, configMap(`c${made + i}`))),
    );
  }
  await admin.request('POST', OBJECT.slice(0, -'/mine'.length), configMap('mine'));
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'mine' }, spec: {} };
  await admin.request('POST', LEASE.slice(0, -'/mine'.length), lease);
}

function columns(name: string): string[] {
  return [`${name} p50`, 'p99', 'max', 'n', 'failed'];
}

function rowOf(name: string, of: string, { get, lease, health }: Experience): string[] {
  const cells = ({ sorted, failures }: Latencies) => [
    percentile(sorted, 0.5).toFixed(1),
    percentile(sorted, 0.99).toFixed(0),
    (sorted.at(-1) ?? Number.NaN).toFixed(0),
    String(sorted.length),
    String(failures),
  ];
  return [name, of, ...cells(get), ...cells(lease), ...cells(health)];
}
