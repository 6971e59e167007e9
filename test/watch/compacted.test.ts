import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { configMaps, installResources, type Resource, widgets } from './resources.ts';

const intervalMs = 300;
const etcdMissing = findEtcd() === undefined ? NO_ETCD : undefined;

interface DiscoveredResource {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** The collections of everything that can be watched. */
async function watchable(client: AdminClient): Promise<readonly string[]> {
  const get = async (path: string) => JSON.parse((await client.request('GET', path)).body);
  const { groups } = await get('/apis');
  const versions = groups.flatMap(({ versions }: { versions: { groupVersion: string }[] }) =>
    versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  );
  const paths = ['/api/v1', ...versions].map(async (path) => {
    const { resources }: { resources: DiscoveredResource[] } = await get(path);
    return resources.filter(({ verbs }) => verbs.includes('watch')).map(({ name }) => `${path}/${name}`);
  });
  return (await Promise.all(paths)).flat();
}

/** Some objects of a resource, and two points for a client to resume from: a page of a list, and a revision. */
async function begin(client: AdminClient, { path, apiVersion, kind }: Resource) {
  for (const name of ['a', 'b', 'c']) await client.request('POST', path, { apiVersion, kind, metadata: { name } });
  const { metadata } = await client.json('GET', `${path}?limit=1`);
  const { resourceVersion, continue: token } = metadata as { resourceVersion: string; continue: string };
  return { path, resourceVersion, token };
}

/** Lets revisions come and go until those from before are compacted. */
async function outlive(client: AdminClient, left: readonly { path: string; resourceVersion: string }[]): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const isThere = async ({ path, resourceVersion }: { path: string; resourceVersion: string }) => {
    const exactly = `${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    return (await client.request('GET', exactly)).status !== 410;
  };
  for (let write = 0; (await Promise.all(left.map(isThere))).includes(true); write += 1) {
    const patch = { data: { write: String(write) } };
    for (const { path } of left) await client.request('PATCH', `${path}/a`, patch, headers);
    await sleep(intervalMs / 2);
  }
}

/** A server that starts on the data of an earlier one. Its watch cache has no history. */
async function withCompacted(
  args: readonly string[],
  check: (client: AdminClient, left: Awaited<ReturnType<typeof begin>>[]) => Promise<void>,
): Promise<void> {
  using folder = temporaryDirectory('compacted');
  const options = {
    dataDirectory: join(folder.path, 'data'),
    args: [`--etcd-compaction-interval=${intervalMs}ms`, ...args],
  };
  const left: Awaited<ReturnType<typeof begin>>[] = [];
  {
    await using server = await startApiServer(options);
    using client = new AdminClient(server.kubeconfig);
    await installResources(client);
    for (const resource of [configMaps, widgets]) left.push(await begin(client, resource));
    await outlive(client, left);
    await server.stop();
  }
  await using server = await startApiServer(options);
  using client = new AdminClient(server.kubeconfig);
  // Custom resources come a moment after the server.
  await installResources(client);
  await check(client, left);
}

async function expectGone(client: AdminClient, left: Awaited<ReturnType<typeof begin>>[]): Promise<void> {
  const version = left[0]?.resourceVersion ?? '';
  const paths = await watchable(client);
  expect(paths.length).toBeGreaterThan(30);
  const reported = async (path: string) => {
    const { status, body } = await client.request('GET', `${path}?watch=1&resourceVersion=${version}&timeoutSeconds=5`);
    return { path, status, body: body.replace(/\(\d+\)/, '(NEWER)') };
  };
  const expired = (path: string) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    // Events have no watch cache.
    message: path.endsWith('/events')
      ? 'The resourceVersion for the provided watch is too old.'
      : `too old resource version: ${version} (NEWER)`,
    reason: 'Expired',
    code: 410,
  });
  const event = (path: string) => `${JSON.stringify({ type: 'ERROR', object: expired(path) })}\n`;
  expect(await Promise.all(paths.map(reported))).toEqual(
    paths.map((path) => ({ path, status: 200, body: event(path) })),
  );
  for (const { path, resourceVersion, token } of left) {
    const exact = await client.request('GET', `${path}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect([exact.status, JSON.parse(exact.body).reason]).toEqual([410, 'Expired']);
    const page = await client.request('GET', `${path}?limit=1&continue=${token}`);
    const { reason, message, metadata } = JSON.parse(page.body);
    expect([page.status, reason, message.slice(0, 49)]).toEqual([
      ...[410, 'Expired', 'The provided continue parameter is too old to dis'],
    ]);
    const rest = await client.json('GET', `${path}?limit=5&continue=${metadata.continue}`);
    expect((rest['items'] as { metadata: { name: string } }[]).map((item) => item.metadata.name)).toEqual(['b', 'c']);
  }
}

describe('compacted history is gone, for every resource', () => {
  it('in the embedded store', { timeout: 60_000 }, () => withCompacted([], expectGone));

  it.skipIf(etcdMissing !== undefined)(
    `on etcd${etcdMissing ? ` (skipped: ${etcdMissing})` : ''}`,
    { timeout: 60_000 },
    async () => {
      await using etcd = await startEtcd();
      await withCompacted([`--etcd-servers=${etcd.url}`], expectGone);
    },
  );
});
