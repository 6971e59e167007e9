// Starts an etcd (ETCD_BINARY, else the one on the PATH) and three API servers on it. It writes through each, watches
// through another, kills one under load, and prints the events. Everything is on 127.0.0.1 and removed at the end.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../test/harness/admin-client.ts';
import { startApiServer } from '../test/harness/api-server.ts';
import { buildStale } from './build-stale.mjs';

const path = '/api/v1/namespaces/default/configmaps';
const started = performance.now();

/** @param {string} text */
function say(text) {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(5)}s  ${text}`);
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** @param {number} port */
async function listening(port) {
  for (let i = 0; i < 500; i++) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (open) return;
    await sleep(20);
  }
  throw new Error('etcd does not listen');
}

/** @param {string} directory */
async function startEtcd(directory) {
  const [client, peer] = [await freePort(), await freePort()];
  const urls = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` };
  const flags = [
    ...['--data-dir', directory, '--initial-cluster', `default=${urls.peer}`],
    ...['--listen-client-urls', urls.client, '--advertise-client-urls', urls.client],
    ...['--listen-peer-urls', urls.peer, '--initial-advertise-peer-urls', urls.peer],
  ];
  const child = spawn(process.env['ETCD_BINARY'] || 'etcd', flags, { stdio: 'ignore' });
  const failed = new Promise((_, reject) => child.once('error', reject));
  await Promise.race([listening(client), failed]);
  return { url: urls.client, child };
}

/**
 * Servers of one cluster have the same keys and authorities.
 *
 * @param {string} folder
 * @param {string} etcd
 * @param {number} index
 */
async function startServer(folder, etcd, index) {
  const dataDirectory = join(folder, `server-${index}`);
  if (index > 1) {
    mkdirSync(dataDirectory, { mode: 0o700 });
    cpSync(join(folder, 'server-1', 'pki'), join(dataDirectory, 'pki'), { recursive: true });
  }
  const args = [`--etcd-servers=${etcd}`, `--advertise-address=192.0.2.${index}`];
  const server = await startApiServer({ dataDirectory, args });
  say(`server ${index} is ready at ${server.url}`);
  return { server, client: new AdminClient(server.kubeconfig) };
}

/** @param {AdminClient} client */
async function endpoints(client) {
  const { subsets } = await client.json('GET', '/api/v1/namespaces/default/endpoints/kubernetes');
  /** @type {any} */
  const [subset] = Array.isArray(subsets) ? subsets : [];
  return subset?.addresses?.map((/** @type {{ ip: string }} */ { ip }) => ip).join(', ') ?? 'none';
}

/** @param {readonly { client: AdminClient }[]} servers */
async function seeEachOther(servers) {
  const stop = new AbortController();
  for (const [i, writer] of servers.entries()) {
    const reader = servers[(i + 1) % servers.length] ?? writer;
    const events = reader.client.watch(`${path}?watch=1&fieldSelector=metadata.name%3Ddemo-${i}`, stop.signal);
    const next = events.next();
    await sleep(100);
    const began = performance.now();
    await writer.client.request('POST', path, { metadata: { name: `demo-${i}` } });
    const written = performance.now();
    const list = await reader.client.json('GET', path);
    const has = JSON.stringify(list).includes(`"demo-${i}"`);
    await next;
    const seen = performance.now();
    say(
      `written through server ${i + 1} in ${(written - began).toFixed(1)} ms; a list of server ${((i + 1) % 3) + 1} ` +
        `${has ? 'has' : 'MISSES'} it, its watch told it after ${(seen - began).toFixed(1)} ms`,
    );
  }
  stop.abort();
}

/** @param {readonly { client: AdminClient, server: import('../test/harness/api-server.ts').ApiServer }[]} servers */
async function killUnderLoad(servers) {
  const [first, second] = servers;
  if (first === undefined || second === undefined) throw new Error('it takes two');
  const acknowledged = new Set();
  let retries = 0;
  let running = true;
  const workers = Array.from({ length: 8 }, async (_, worker) => {
    for (let i = 0; running; i++) {
      const name = `load-${worker}-${i}`;
      for (let turn = 0; ; turn++) {
        const { client } = servers[turn % servers.length] ?? first;
        const response = await client.request('POST', path, { metadata: { name } }).catch(() => undefined);
        if (response?.status === 201 || response?.status === 409) break;
        retries++;
      }
      acknowledged.add(name);
    }
  });
  await sleep(1500);
  const before = acknowledged.size;
  first.server.child.kill('SIGKILL');
  say(`server 1 is killed while 8 clients write through it; ${before} objects so far`);
  await sleep(1500);
  running = false;
  await Promise.all(workers);
  const { items } = await second.client.json('GET', path);
  const stored = new Set(Array.isArray(items) ? items.map((item) => item.metadata.name) : []);
  const lost = [...acknowledged].filter((name) => !stored.has(name));
  say(
    `${acknowledged.size} objects were acknowledged, ${retries} tries went to the dead server, ${lost.length} were lost`,
  );
}

await buildStale();
const folder = mkdtempSync(join(tmpdir(), 'ha-demo-'));
const etcd = await startEtcd(join(folder, 'etcd'));
/** @type {Awaited<ReturnType<typeof startServer>>[]} */
const servers = [];
try {
  say(`etcd is ready at ${etcd.url}`);
  for (let index = 1; index <= 3; index++) servers.push(await startServer(folder, etcd.url, index));
  const [first, second] = servers;
  if (first === undefined || second === undefined) throw new Error('there are three');
  await sleep(500);
  say(`the kubernetes service has the endpoints ${await endpoints(second.client)}`);
  await seeEachOther(servers);
  await killUnderLoad(servers);
  say('waiting for the lease of server 1 to end');
  for (let i = 0; i < 60 && (await endpoints(second.client)).includes('192.0.2.1,'); i++) await sleep(1000);
  say(`the kubernetes service has the endpoints ${await endpoints(second.client)}`);
} finally {
  for (const { server, client } of servers) {
    client[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  }
  etcd.child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
