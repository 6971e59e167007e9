import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { AdminClient, readCredentials } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { configMaps, installResources, widgets } from './resources.ts';

const sessions = 18;
const watchesOfSession = 50;
const connections = 100;
const watches = sessions * watchesOfSession + connections;

/** A second signal of its own makes the server collect its garbage, so that the remaining memory is really in use. */
const collecting = ['--expose-gc', "--import=data:text/javascript,process.on('SIGUSR2',()=>gc())"];
const withoutProc = existsSync('/proc/self/fd') ? undefined : 'there is no /proc to count handles in';

const watchPath = (index: number) => `${(index % 2 === 0 ? configMaps : widgets).path}?watch=1&allowWatchBookmarks=1`;

/** Memory and handles that a server holds for its clients. */
interface Holdings {
  readonly watches: number;
  readonly handles: number;
  readonly heapBytes: number;
}

async function holdings(server: ApiServer, client: AdminClient): Promise<Holdings> {
  const { body } = await client.request('GET', '/metrics');
  const sum = (name: RegExp) => [...body.matchAll(name)].reduce((total, [, value]) => total + Number(value), 0);
  return {
    watches: sum(/^apiserver_longrunning_requests\{[^}]*verb="WATCH"[^}]*\} (\S+)$/gm),
    handles: readdirSync(`/proc/${server.child.pid}/fd`).length,
    heapBytes: sum(/^nodejs_heap_size_used_bytes (\S+)$/gm) + sum(/^nodejs_external_memory_bytes (\S+)$/gm),
  };
}

async function collected(server: ApiServer, client: AdminClient): Promise<Holdings> {
  for (let time = 0; time < 3; time += 1) {
    server.child.kill('SIGUSR2');
    await sleep(50);
  }
  return holdings(server, client);
}

/** Clients of a thousand watches, some of which do not read. */
async function openWatches(server: ApiServer): Promise<() => void> {
  const clients = Array.from({ length: sessions }, () => new AdminClient(server.kubeconfig));
  const streams = clients.flatMap(({ session }) =>
    Array.from({ length: watchesOfSession }, (_, index) => {
      const stream = session.request({ ':method': 'GET', ':path': watchPath(index) });
      if (index % 5 !== 0) stream.resume();
      return stream.on('error', () => {});
    }),
  );
  const { ca, cert, key } = readCredentials(server.kubeconfig);
  const requests: ClientRequest[] = Array.from({ length: connections }, (_, index) =>
    requestHttps(server.url + watchPath(index), { ca, cert, key, agent: false })
      .on('response', (response) => response.on('error', () => {}).resume())
      .on('error', () => {})
      .end(),
  );
  await Promise.all([...streams, ...requests].map((requested) => once(requested, 'response')));
  return () => {
    for (const client of clients) client[Symbol.dispose]();
    for (const request of requests) request.destroy();
  };
}

/** Sends every watch something, so that some of it waits in the server. */
async function write(client: AdminClient, round: string): Promise<void> {
  for (const { path, apiVersion, kind } of [configMaps, widgets]) {
    for (let index = 0; index < 10; index += 1) {
      const data = { round, padding: 'x'.repeat(1_000) };
      const object = { apiVersion, kind, metadata: { name: `object-${index}` }, data };
      const { status } = await client.request('POST', path, object);
      if (status !== 201) await client.request('PATCH', `${path}/object-${index}`, { data }, mergePatch);
    }
  }
}

const mergePatch = { 'content-type': 'application/merge-patch+json' };

it.skipIf(withoutProc !== undefined)(
  `a thousand watches whose clients go leave nothing${withoutProc ? ` (skipped: ${withoutProc})` : ''}`,
  { timeout: 240_000 },
  async () => {
    await using server = await startApiServer({ nodeOptions: collecting });
    using client = new AdminClient(server.kubeconfig);
    await installResources(client);
    const round = async (name: string) => {
      const before = await holdings(server, client);
      const drop = await openWatches(server);
      await write(client, name);
      const open = await holdings(server, client);
      drop();
      const left = async () => (await holdings(server, client)).watches;
      // The server may have opened some of its own.
      await expect.poll(left, { interval: 20 }).toBeLessThan(before.watches + watchesOfSession);
      return { open, held: await collected(server, client) };
    };
    // The first rounds compile code and fill pools that stay.
    await round('first');
    const first = await round('second');
    const { open } = await round('third');
    expect(open.watches - first.held.watches).toBe(watches);
    expect(open.handles - first.held.handles).toBeGreaterThanOrEqual(sessions + connections);
    const { heapBytes: _, ...kept } = first.held;
    await expect.poll(() => holdings(server, client)).toMatchObject(kept);
    // Half a kilobyte for each watch would be a leak. The written objects are kept for returning clients, and are
    // small. A busy machine may collect late.
    const grown = async () => (await collected(server, client)).heapBytes - first.held.heapBytes;
    await expect.poll(grown, { timeout: 20_000 }).toBeLessThan(watches * 512);
  },
);
