import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AdminClient, readCredentials } from '../../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../../harness/api-server.ts';
import { percentile } from '../measurement.ts';
import { printTable } from '../print-table.ts';
import type { Noise, NoiseKind } from './noise-process.ts';
import { PROBE_FILE, type ProbeRecord, readRecords, staysOf } from './probe-record.ts';
import { ADDRESSES, beQuiet, type Experience } from './quiet-tenant.ts';

const KINDS: readonly NoiseKind[] = ['a busy processor', 'lists', 'watches', 'writes', 'long requests', 'wrong bodies'];
const CLIENTS = 300;
/** As `nice` counts. */
const PRIORITY = -20;
const AUTOGROUP = '/proc/self/autogroup';
const OBJECTS = 10_000;
const AT_ONCE = 32;

const COLLECTION = '/api/v1/namespaces/noisy/configmaps';
const OBJECT = '/api/v1/namespaces/quiet/configmaps/mine';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/quiet/leases/mine';

/** The token of the administrators, who are exempt, makes the noise too. */
const USERS = ['noisy-token,noisy,1', 'quiet-token,quiet,2', 'master-token,master,3,"system:masters"'];

/** Kinds of noise with their accounts. */
const NOISES: readonly (readonly [name: string, kind: NoiseKind, token: string])[] = [
  ...KINDS.map((kind) => [kind, kind, 'noisy-token'] as const),
  ['lists of an exempt account', 'lists', 'master-token'],
];

/** The measure of tenants. */
export interface TenantOptions {
  readonly binaries: readonly string[];
  /** Names of kinds of noise, separated by commas; empty: all. */
  readonly only: string;
  /** Of each kind of noise. */
  readonly seconds: number;
  /** Also without priority and fairness. */
  readonly both: boolean;
}

/** Prints the latencies of a quiet tenant beside noisy ones, without and with priority and fairness. */
export async function measureTenants(options: TenantOptions): Promise<void> {
  takePrecedence();
  for (const binary of options.binaries) {
    for (const isFair of options.both ? [false, true] : [true]) await measureServer(binary, { ...options, isFair });
  }
}

async function measureServer(binary: string, options: TenantOptions & { readonly isFair: boolean }): Promise<void> {
  const { isFair, only, seconds } = options;
  using folder = temporaryDirectory('bench-tenants');
  const tokens = join(folder.path, 'tokens.csv');
  writeFileSync(tokens, `${USERS.join('\n')}\n`);
  const probe = join(folder.path, 'probe.jsonl');
  await using server = await startApiServer({
    args: [
      `--token-auth-file=${tokens}`,
      '--authorization-mode=AlwaysAllow',
      `--enable-priority-and-fairness=${isFair}`,
    ],
    nodeOptions: ['--import', fileURLToPath(new URL('server-probe.ts', import.meta.url))],
    env: { [PROBE_FILE]: probe },
    ...(binary !== '' && { binary }),
  });
  using admin = new AdminClient(server.kubeconfig);
  await makeObjects(admin);
  const credentials = readCredentials(server.kubeconfig);
  const quiet = { credentials, token: 'quiet-token', object: OBJECT, lease: LEASE };
  const measure = async (milliseconds: number): Promise<Observed> => {
    writeFileSync(probe, '');
    const experience = await beQuiet(quiet, milliseconds);
    return { experience, records: await recordsOf(probe) };
  };
  await measure(2_000);
  const rows: (readonly string[])[] = [HEADER, rowOf('none', await measure(seconds * 1_000))];
  for (const [name, kind, token] of NOISES.filter(([name]) => only === '' || only.split(',').includes(name))) {
    const { server: url, ca } = credentials;
    using noise = await makeNoise({ kind, server: url, ca, token, clients: CLIENTS, collection: COLLECTION });
    // The noise needs a while to begin.
    await measure(1_000);
    rows.push(rowOf(name, await measure(seconds * 1_000)));
    noise.end();
  }
  printTable(`a quiet tenant, ms; --enable-priority-and-fairness=${isFair}`, rows);
}

/** The experience of the tenant, and what the probe of the server saw of it. */
interface Observed {
  readonly experience: Experience;
  readonly records: readonly ProbeRecord[];
}

/** The probe writes when the connections have been closed. */
async function recordsOf(file: string): Promise<ProbeRecord[]> {
  for (let i = 0; i < 100; i++) {
    const records = readRecords(file);
    if (records.length === Object.keys(ADDRESSES).length) return records;
    await setTimeout(50);
  }
  throw new Error('the probe of the server has recorded nothing');
}

/**
 * Other programs of the machine must not decide the figures. This process gets a priority above theirs, and all that it
 * starts inherits it: the server, the quiet tenant and the noise have the same. Linux groups the processes of a
 * session, and a priority counts within its group only; so the group gets one, too. Without the right to do that, all
 * stays as it is.
 */
function takePrecedence(): void {
  try {
    setPriority(PRIORITY);
    if (existsSync(AUTOGROUP)) writeFileSync(AUTOGROUP, String(PRIORITY));
  } catch {
    console.error('no right to raise priorities: other programs of the machine count in these figures');
  }
}

async function makeNoise(noise: Noise): Promise<{ end(): void } & Disposable> {
  const child: ChildProcess = fork(fileURLToPath(new URL('noise-process.ts', import.meta.url)));
  child.send(noise);
  await once(child, 'message');
  const end = () => void child.kill('SIGKILL');
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

const HEADER: readonly string[] = [
  'noise of 300 clients',
  '',
  ...['own p50', 'p99', 'max', 'server p50', 'p99', 'unread p99', 'served p99'],
  ...['get p50', 'p99', 'max', 'n', 'failed', 'lease p99', 'max', 'failed', 'livez p99', 'no cpu'],
];

function rowOf(name: string, { experience, records }: Observed): readonly string[] {
  const { get, lease, livez } = experience;
  const record = records.find(({ address }) => address.endsWith(ADDRESSES.get));
  const stays = staysOf(get.sent, record);
  const at = (values: readonly number[], share: number) => {
    const sorted = values.toSorted((a, b) => a - b);
    return percentile(sorted, share).toFixed(1);
  };
  const own = stays.map((stay) => stay.own);
  const inServer = stays.map(({ unread, served }) => unread + served);
  const unread = stays.map((stay) => stay.unread);
  const served = stays.map((stay) => stay.served);
  const [gets, leases, healths] = [get, lease, livez].map(({ sent }) => sent.map(({ begun, ended }) => ended - begun));
  return [
    name,
    '',
    ...[at(own, 0.5), at(own, 0.99), at(own, 1)],
    ...[at(inServer, 0.5), at(inServer, 0.99), at(unread, 0.99), at(served, 0.99)],
    ...[at(gets ?? [], 0.5), at(gets ?? [], 0.99), at(gets ?? [], 1), String(get.sent.length), String(get.failures)],
    ...[at(leases ?? [], 0.99), at(leases ?? [], 1), String(lease.failures), at(healths ?? [], 0.99)],
    `${(waitingShare(record) * 100).toFixed(0)}%`,
  ];
}

/** The share of time in which the server's main thread was ready, and had no processor. */
function waitingShare(record: ProbeRecord | undefined): number {
  const [first, last] = [record?.waits[0], record?.waits.at(-1)];
  return first === undefined || last === undefined ? Number.NaN : (last[1] - first[1]) / (last[0] - first[0]);
}
