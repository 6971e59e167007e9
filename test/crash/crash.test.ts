import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AdminClient, type WatchedObject } from '../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const path = '/api/v1/namespaces/default/configmaps';
const total = 1_000;
const connections = 10;
/** A few more than those after which a store creates its journal. */
const COMMITS_BEFORE_JOURNAL = 300;

/** The test's knowledge of an object: its name, and the revision of the response. */
type Revisions = Map<string, string>;

async function createAll(clients: readonly AdminClient[], acknowledged: Revisions): Promise<void> {
  const create = async (index: number) => {
    const client = clients[index % connections];
    const body = { metadata: { name: `object-${index}` }, data: { payload: 'x'.repeat(512) } };
    const response = await client?.request('POST', path, body).catch(() => undefined);
    if (response?.status !== 201) return;
    const { metadata }: WatchedObject = JSON.parse(response.body);
    acknowledged.set(metadata.name, metadata.resourceVersion);
  };
  await Promise.all(Array.from({ length: total }, (_, index) => create(index)));
}

async function collect(client: AdminClient, from: string, into: [string, string, string][], signal: AbortSignal) {
  const query = `${path}?watch=1&resourceVersion=${from}`;
  try {
    for await (const { type, object } of client.watch(query, signal)) {
      if (type === 'ERROR') throw new Error(JSON.stringify(object));
      if (object.metadata.name.startsWith('object-')) {
        into.push([type, object.metadata.name, object.metadata.resourceVersion]);
      }
    }
  } catch (error) {
    // The kill breaks the first watch off; that is the point.
    if (error instanceof Error && error.message.includes('"code"')) throw error;
  }
}

/** As many commits as writes, because each waits for the one before. */
async function writeOneByOne(client: AdminClient, writes: number): Promise<void> {
  for (let i = 0; i < writes; i++) {
    const { status } = await client.request('POST', path, { metadata: { name: `earlier-${i}` } });
    expect(status).toBe(201);
  }
}

async function list(client: AdminClient): Promise<{ revision: string; objects: Revisions }> {
  const response = JSON.parse((await client.request('GET', path)).body);
  const items: readonly WatchedObject[] = response.items;
  return {
    revision: response.metadata.resourceVersion,
    objects: new Map(
      items
        .filter(({ metadata }) => metadata.name.startsWith('object-'))
        .map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    ),
  };
}

describe('kill -9 in the middle of concurrent creates', () => {
  // Different moments hit different places: before the first commit, in between, after the last.
  it.each([
    [50, 0],
    [300, 0],
    [700, 0],
    [300, COMMITS_BEFORE_JOURNAL],
  ])('after %i acknowledged and %i before: nothing is lost, no revision is given twice', async (killAfter, earlier) => {
    using folder = temporaryDirectory('crash');
    const dataDirectory = join(folder.path, 'data');
    const acknowledged: Revisions = new Map();
    const before: [string, string, string][] = [];
    const stop = new AbortController();
    let begin: string;
    {
      await using server = await startApiServer({ dataDirectory });
      const clients = Array.from({ length: connections }, () => new AdminClient(server.kubeconfig));
      const watcher = new AdminClient(server.kubeconfig);
      await writeOneByOne(watcher, earlier);
      begin = (await list(watcher)).revision;
      const watching = collect(watcher, begin, before, stop.signal);
      const creating = createAll(clients, acknowledged);
      while (acknowledged.size < killAfter) await sleep(1);
      await server.stop('SIGKILL');
      for (const client of [...clients, watcher]) client[Symbol.dispose]();
      await Promise.all([creating, watching]);
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(killAfter);
    expect(existsSync(join(dataDirectory, 'db', 'journal'))).toBe(earlier > 0);

    await using server = await startApiServer({ dataDirectory });
    using client = new AdminClient(server.kubeconfig);
    const { objects, revision } = await list(client);

    const lost = [...acknowledged].filter(([name, given]) => objects.get(name) !== given);
    expect(lost).toEqual([]);
    expect(before.filter(([, name, given]) => objects.get(name) !== given)).toEqual([]);

    const revisions = [...objects.values()];
    expect(new Set(revisions).size).toBe(revisions.length);

    const { metadata } = JSON.parse((await client.request('POST', path, { metadata: { name: 'object-after' } })).body);
    expect(BigInt(metadata.resourceVersion)).toBeGreaterThan(BigInt(revision));
    expect(BigInt(revision)).toBeGreaterThanOrEqual(revisions.map(BigInt).reduce((a, b) => (a > b ? a : b), 0n));

    // A watch from the last revision seen goes on exactly there.
    const lastSeen = before.at(-1)?.[2] ?? begin;
    const after: [string, string, string][] = [];
    const expected = objects.size + 1 - before.length;
    const resume = new AbortController();
    const resumed = collect(client, lastSeen, after, resume.signal);
    await expect.poll(() => after.length).toBeGreaterThanOrEqual(expected);
    resume.abort();
    await resumed;
    const events = [...before, ...after];
    expect(new Map(events.map(([, name, given]) => [name, given]))).toEqual(
      new Map([...objects, ['object-after', metadata.resourceVersion]]),
    );
    expect(events.length).toBe(objects.size + 1);
    expect(events.map(([type]) => type).every((type) => type === 'ADDED')).toBe(true);
    const order = events.map(([, , given]) => BigInt(given));
    expect(order).toEqual([...order].sort((a, b) => (a < b ? -1 : 1)));
  });
});
