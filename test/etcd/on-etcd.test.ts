import { join } from 'node:path';
import { openEtcdStore } from '@apiserver/registry-store/etcd3';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { serverOn } from './server-on.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, data = {}) => ({ metadata: { name }, data });

const definition = customResourceDefinition('example.com', 'Widget', { properties: { size: { type: 'integer' } } });

interface Named {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string };
}

describe.skipIf(findEtcd() === undefined)(`kube-apiserver on etcd (${NO_ETCD})`, () => {
  it('counts its requests to etcd', async () => {
    using folder = temporaryDirectory('etcd');
    await using etcd = await startEtcd();
    await using server = await serverOn(etcd, folder.path, 0);
    using client = new AdminClient(server.kubeconfig);
    await client.request('POST', CONFIG_MAPS, configMap('a'));
    await client.request('DELETE', `${CONFIG_MAPS}/a`);
    const lines = (await client.request('GET', '/metrics')).body.split('\n');
    const value = (name: string, operation?: string) =>
      lines
        .filter((line) => line.startsWith(`${name}{`) && line.includes('resource="configmaps"'))
        .filter((line) => operation === undefined || line.includes(`operation="${operation}"`))
        .map((line) => Number(line.split(' ').at(-1)))
        .reduce((sum, one) => sum + one, 0);
    for (const operation of ['create', 'delete', 'list']) {
      expect(value('etcd_requests_total', operation)).toBeGreaterThan(0);
      expect(value('etcd_request_duration_seconds_count', operation)).toBe(value('etcd_requests_total', operation));
    }
    expect(value('apiserver_storage_events_received_total')).toBeGreaterThanOrEqual(2);
    expect(lines).toContain('# TYPE etcd_lease_object_counts histogram');
  });

  it('keeps upstream’s keys and encodings, and reads objects of another server', async () => {
    using folder = temporaryDirectory('etcd');
    await using etcd = await startEtcd();
    await using server = await serverOn(etcd, folder.path, 0);
    await using store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 });
    using client = new AdminClient(server.kubeconfig);
    const atRest = async (key: string) => Buffer.from((await store.get(key)).kv?.value ?? []);
    await client.request('POST', CONFIG_MAPS, configMap('ours', { sky: 'blue' }));
    const bytes = await atRest('/registry/configmaps/default/ours');
    expect(bytes.subarray(0, 21).toString('latin1')).toBe('k8s\0\n\x0f\n\x02v1\x12\tConfigMap');
    await client.request('POST', DEFINITIONS, definition);
    const widgets = '/apis/example.com/v1/namespaces/default/widgets';
    const made = () =>
      client.request('POST', widgets, { apiVersion: 'example.com/v1', kind: 'Widget', ...configMap('w') });
    await expect.poll(made).toMatchObject({ status: 201 });
    const widget = await atRest('/registry/example.com/widgets/default/w');
    expect(widget.toString()).toMatch(/^\{"apiVersion":"example.com\/v1","kind":"Widget","metadata":\{/);
    expect(widget.toString()).not.toContain('resourceVersion');

    const stop = new AbortController();
    const events = client.watch(`${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Dtheirs`, stop.signal);
    const next = events.next();
    const json = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"theirs","namespace":"default","uid":"u1","creationTimestamp":"2026-01-01T00:00:00Z"},"data":{"a":"b"}}\n`;
    const key = '/registry/configmaps/default/theirs';
    await store.commit({ type: 'put', key, value: Buffer.from(json), expectedRevision: 0 });
    expect((await next).value).toMatchObject({ type: 'ADDED', object: { metadata: { uid: 'u1' }, data: { a: 'b' } } });
    stop.abort();
    const theirs = JSON.parse((await client.request('GET', `${CONFIG_MAPS}/theirs`)).body);
    expect(theirs).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
    const updated = await client.request('PUT', `${CONFIG_MAPS}/theirs`, { ...theirs, data: { a: 'c' } });
    expect(updated.status).toBe(200);
    expect((await atRest(key)).subarray(0, 4).toString('latin1')).toBe('k8s\0');
  });

  it('keeps a resource in an etcd of its own, which is checked as well', async () => {
    using folder = temporaryDirectory('etcd');
    await using etcd = await startEtcd();
    await using second = await startEtcd();
    const args = [`--etcd-servers=${etcd.url}`, `--etcd-servers-overrides=/configmaps#${second.url}`];
    await using server = await startApiServer({ dataDirectory: join(folder.path, 'data'), args });
    using client = new AdminClient(server.kubeconfig);
    expect((await client.request('POST', CONFIG_MAPS, configMap('a'))).status).toBe(201);
    const found = [etcd, second].map(async ({ url }) => {
      await using store = await openEtcdStore({ servers: [url], compactionInterval: 0 });
      return (await store.get('/registry/configmaps/default/a')).kv !== undefined;
    });
    expect(await Promise.all(found)).toEqual([false, true]);
    const verbose = await client.request('GET', '/readyz?verbose');
    expect(verbose.body).toContain('[+]etcd-override-0 ok\n');
    expect(verbose.body).toContain('[+]etcd-override-readiness-0 ok\n');
    const excluded = await client.request('GET', '/readyz?verbose&exclude=etcd');
    expect(excluded.body).toContain('[+]etcd excluded: ok\n[+]etcd-override-0 excluded: ok\n');
    await second.kill();
    expect((await client.request('GET', '/livez')).status).toBe(500);
    expect((await client.request('GET', '/livez?exclude=etcd')).status).toBe(200);
  });

  it('is not ready while etcd hangs, and ready again when etcd is', async () => {
    using folder = temporaryDirectory('etcd');
    await using etcd = await startEtcd();
    await using server = await serverOn(etcd, folder.path, 0);
    using client = new AdminClient(server.kubeconfig);
    etcd.signal('SIGSTOP');
    const stuck = await client.request('GET', '/readyz/etcd-readiness');
    etcd.signal('SIGCONT');
    expect([stuck.status, stuck.body]).toEqual([
      500,
      'internal server error: error getting data from etcd: context deadline exceeded\n',
    ]);
    const ready = () => client.request('GET', '/readyz');
    await expect.poll(ready).toMatchObject({ status: 200 });
    expect((await client.request('POST', CONFIG_MAPS, configMap('after'))).status).toBe(201);
  });

  it('is one of two, of which either can be killed under load', async () => {
    using folder = temporaryDirectory('etcd');
    await using etcd = await startEtcd();
    await using one = await serverOn(etcd, folder.path, 0);
    await using two = await serverOn(etcd, folder.path, 1);
    using survivor = new AdminClient(two.kubeconfig);
    using doomed = new AdminClient(one.kubeconfig);
    const seen = new Map<string, string>();
    const stop = new AbortController();
    const from = JSON.parse((await survivor.request('GET', CONFIG_MAPS)).body).metadata.resourceVersion;
    const watching = (async () => {
      for await (const { object } of survivor.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${from}`, stop.signal)) {
        if (seen.has(object.metadata.name)) throw new Error(`${object.metadata.name} came twice`);
        seen.set(object.metadata.name, object.metadata.resourceVersion);
      }
    })();
    const acknowledged = new Map<string, string>();
    const create = async (name: string) => {
      for (const client of [doomed, survivor]) {
        const response = await client.request('POST', CONFIG_MAPS, configMap(name)).catch(() => undefined);
        // 409: the server had written it before it died.
        if (response?.status === 409) return;
        if (response?.status !== 201) continue;
        const { metadata }: Named = JSON.parse(response.body);
        acknowledged.set(name, metadata.resourceVersion);
        return;
      }
      throw new Error(`${name} could not be created on either server`);
    };
    const creating = Array.from({ length: 5 }, async (_, worker) => {
      for (let i = 0; i < 40; i++) await create(`c-${worker}-${i}`);
    });
    await expect.poll(() => acknowledged.size).toBeGreaterThan(30);
    await one.stop('SIGKILL');
    await Promise.all(creating);
    const { items }: { items: readonly Named[] } = JSON.parse((await survivor.request('GET', CONFIG_MAPS)).body);
    const stored = new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    stored.delete('kube-root-ca.crt');
    expect(stored.size).toBe(200);
    for (const [name, version] of acknowledged) expect([name, stored.get(name)]).toEqual([name, version]);
    await expect.poll(() => seen.size).toBeGreaterThanOrEqual(200);
    seen.delete('kube-root-ca.crt');
    expect(seen).toEqual(stored);
    stop.abort();
    await watching;
  });

  it('shares leases of identity and the endpoints of the kubernetes service', async () => {
    using folder = temporaryDirectory('etcd');
    await using etcd = await startEtcd();
    await using one = await serverOn(etcd, folder.path, 0);
    await using two = await serverOn(etcd, folder.path, 1);
    const addresses = async (server: ApiServer) => {
      using client = new AdminClient(server.kubeconfig);
      const { subsets } = JSON.parse(
        (await client.request('GET', '/api/v1/namespaces/default/endpoints/kubernetes')).body,
      );
      return subsets?.[0]?.addresses?.map(({ ip }: { ip: string }) => ip).toSorted();
    };
    for (const server of [one, two]) {
      await expect.poll(() => addresses(server)).toEqual(['192.0.2.10', '192.0.2.11']);
    }
    await one.stop();
    await expect.poll(() => addresses(two)).toEqual(['192.0.2.11']);
  });
});
