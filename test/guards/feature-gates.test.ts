import { describe, expect, it } from 'vitest';
import { assembledServer } from './assembled-server.ts';
import { object } from './objects.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const WHOLE = "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')";
const query = (selector: string) => `?shardSelector=${encodeURIComponent(selector)}`;

describe('a server with features that are off by default', () => {
  const server = assembledServer('--feature-gates=ShardedListAndWatch=true');

  it('restricts lists to shards', async () => {
    const { metadata } = await server.make(CONFIG_MAPS, object('v1', 'ConfigMap', 'in-a-shard'));
    const listed = async (selector: string) => {
      const { body } = await server.ask('GET', `${CONFIG_MAPS}${query(selector)}`);
      return { ...body.metadata, resourceVersion: '', uids: body.items?.map((item: Item) => item.metadata.uid) };
    };
    const all = await listed(WHOLE);
    const low = WHOLE.replace('0x10000000000000000', '0x8000000000000000');
    const high = WHOLE.replace('0x0000000000000000', '0x8000000000000000');
    const [first, second] = [await listed(low), await listed(high)];
    expect(all.uids).toContain(metadata.uid);
    expect([first.shardInfo, second.shardInfo, all.shardInfo]).toEqual(
      [low, high, WHOLE].map((selector) => ({ selector })),
    );
    expect([...first.uids, ...second.uids].sort()).toEqual([...all.uids].sort());
    const { code, body } = await server.ask('GET', `${CONFIG_MAPS}${query('x')}`);
    expect([code, body.message]).toEqual([
      500,
      'invalid shard selector: unexpected expression kind 3; expected shardRange() call or || operator',
    ]);
    const watch = `&watch=1&timeoutSeconds=1&allowWatchBookmarks=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=1`;
    const { body: events } = await server.ask('GET', `${CONFIG_MAPS}${query(low)}${watch}`);
    const lines: readonly { type: string; object: Item }[] = String(events)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    const added = lines.filter(({ type }) => type === 'ADDED').map(({ object }) => object.metadata.uid);
    expect(added.sort()).toEqual([...first.uids].sort());
    const { body: metrics } = await server.ask('GET', '/metrics');
    expect(metrics).toContain('apiserver_watch_shards_total{group="",resource="configmaps"} 0');
  });
});

interface Item {
  readonly metadata: { readonly uid: string };
}

describe('a server with default features', () => {
  const server = assembledServer();

  it('knows no shards', async () => {
    const { code, body } = await server.ask('GET', `${CONFIG_MAPS}${query('x')}`);
    expect([code, body.metadata.shardInfo]).toEqual([200, undefined]);
    const { body: metrics } = await server.ask('GET', '/metrics');
    expect(metrics).not.toContain('apiserver_watch_shards_total');
  });
});
