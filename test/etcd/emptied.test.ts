import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { serverOn } from './server-on.ts';

const NAMESPACES = '/api/v1/namespaces';

async function namesOf(client: AdminClient): Promise<readonly string[]> {
  const { items } = JSON.parse((await client.request('GET', NAMESPACES)).body);
  return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
}

const readiness = async (client: AdminClient) => (await client.request('GET', '/readyz?verbose')).body;

describe.skipIf(findEtcd() === undefined)(`two servers whose etcd comes back empty (${NO_ETCD})`, () => {
  it('are not ready any more, and list the objects that are written afterwards', { timeout: 120_000 }, async () => {
    using folder = temporaryDirectory('emptied');
    await using etcd = await startEtcd();
    await using first = await serverOn(etcd, folder.path, 0);
    await using second = await serverOn(etcd, folder.path, 1);
    using one = new AdminClient(first.kubeconfig);
    using two = new AdminClient(second.kubeconfig);
    const make = async (client: AdminClient, name: string) =>
      (await client.request('POST', NAMESPACES, { metadata: { name } })).status;
    expect(await make(one, 'before')).toBe(201);
    await expect.poll(() => namesOf(two)).toContain('before');
    expect(await readiness(two)).toContain('[+]etcd-readiness ok');
    await etcd.empty();
    await expect.poll(() => make(one, 'after-one')).toBe(201);
    await expect.poll(() => make(two, 'after-two')).toBe(201);
    for (const client of [one, two]) {
      await expect.poll(() => namesOf(client)).toEqual(expect.arrayContaining(['after-one', 'after-two']));
      expect(await namesOf(client)).not.toContain('before');
      await expect.poll(() => readiness(client)).toContain('[-]etcd-readiness failed');
      expect((await client.request('GET', '/livez')).status).toBe(200);
    }
    await Promise.all([first.stop(), second.stop()]);
    await using again = await serverOn(etcd, folder.path, 2);
    using client = new AdminClient(again.kubeconfig);
    expect(await readiness(client)).toContain('[+]etcd-readiness ok');
    expect(await namesOf(client)).toEqual(expect.arrayContaining(['after-one', 'after-two', 'default']));
  });
});
