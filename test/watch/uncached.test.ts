import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer } from '../harness/api-server.ts';
import { configMaps, installResources, type Resource, widgets } from './resources.ts';

/** One resource as clients see it: lists of several kinds, and a watch from before to after. */
async function used(client: AdminClient, { path, apiVersion, kind }: Resource): Promise<unknown> {
  const versions: string[] = [];
  for (const name of ['a', 'b']) {
    const { metadata } = await client.json('POST', path, { apiVersion, kind, metadata: { name } });
    versions.push((metadata as { resourceVersion: string }).resourceVersion);
  }
  const names = async (query: string) => {
    const { items } = await client.json('GET', `${path}?${query}`);
    return (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  };
  const lists = {
    newest: await names(''),
    any: await names('resourceVersion=0'),
    past: await names(`resourceVersion=${versions[0]}&resourceVersionMatch=Exact`),
    page: await names('limit=1'),
  };
  await client.request('DELETE', `${path}/a`);
  const reported: string[] = [];
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const stop = new AbortController();
  for await (const { type, object } of client.watch(`${path}?${query}`, stop.signal)) {
    reported.push(`${type} ${object.metadata.name ?? 'initial events'}`);
    if (type === 'BOOKMARK') await client.request('DELETE', `${path}/b`);
    if (type === 'DELETED') stop.abort();
  }
  const past = await client.request('GET', `${path}?watch=1&resourceVersion=${versions[0]}&timeoutSeconds=1`);
  const types = past.body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).type);
  return { lists, reported, types };
}

const seen = {
  lists: { newest: ['a', 'b'], any: ['a', 'b'], past: ['a'], page: ['a'] },
  reported: ['ADDED b', 'BOOKMARK initial events', 'DELETED b'],
  types: ['ADDED', 'DELETED', 'DELETED'],
};

describe('responses do not depend on the watch cache', () => {
  it.each([
    { flags: '', cached: ['configmaps', 'widgets', 'pods'] },
    { flags: '--watch-cache=false', cached: [] },
    // Only of built-in resources, as upstream.
    { flags: '--watch-cache-sizes=configmaps#0,widgets.watch.example.com#0', cached: ['widgets', 'pods'] },
    {
      flags: '--watch-cache-sizes=configmaps#9 --default-watch-cache-size=0',
      cached: ['configmaps', 'widgets', 'pods'],
    },
  ])('flags: $flags', async ({ flags, cached }) => {
    await using server = await startApiServer({ args: flags.split(' ').filter((flag) => flag !== '') });
    using client = new AdminClient(server.kubeconfig);
    await installResources(client);
    for (const resource of [configMaps, widgets]) expect(await used(client, resource)).toEqual(seen);
    const { body } = await client.request('GET', '/metrics');
    const capacities = body.split('\n').filter((line) => line.startsWith('watch_cache_capacity{'));
    const counted = ['configmaps', 'widgets', 'pods'].filter((name) =>
      capacities.some((line) => line.includes(`resource="${name}"`)),
    );
    expect(counted).toEqual(cached);
  });
});
