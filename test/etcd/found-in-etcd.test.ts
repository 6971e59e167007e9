import { openEtcdStore } from '@apiserver/registry-store/etcd3';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { customResourceDefinition, DEFINITIONS } from '../harness/custom-resource-definition.ts';
import { serverOn } from './server-on.ts';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const definition = customResourceDefinition('example.com', 'Widget', {
  properties: {
    size: { type: 'integer', default: 3 },
    pod: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
});

describe.skipIf(findEtcd() === undefined)(`what is found in etcd (${NO_ETCD})`, () => {
  it('of custom resources is pruned, repaired, served and deleted', { timeout: 60_000 }, async () => {
    using folder = temporaryDirectory('found');
    await using etcd = await startEtcd();
    await using server = await serverOn(etcd, folder.path, 0);
    await using store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 });
    using client = new AdminClient(server.kubeconfig);
    const made = await client.request('POST', DEFINITIONS, definition);
    expect(made.status).toBe(201);
    const served = async () => (await client.request('GET', WIDGETS)).status;
    await expect.poll(served).toBe(200);
    const widget = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      odd: true,
      metadata: {
        name: 'found',
        namespace: 'default',
        uid: 'u',
        creationTimestamp: '2030-01-02T03:04:05Z',
        labels: 5,
        annotations: { a: 'b' },
        odd: 1,
      },
      pod: { apiVersion: 'v1', kind: 5, metadata: { name: 'p', labels: 'x' } },
    };
    const key = '/registry/example.com/widgets/default/found';
    await store.commit({ type: 'put', key, value: Buffer.from(JSON.stringify(widget)), expectedRevision: 0 });
    const reported = {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      size: 3,
      metadata: {
        name: 'found',
        namespace: 'default',
        uid: 'u',
        creationTimestamp: '2030-01-02T03:04:05Z',
        annotations: { a: 'b' },
        generation: 1,
        resourceVersion: expect.any(String),
      },
      pod: { apiVersion: 'v1', metadata: { name: 'p' } },
    };
    await expect.poll(async () => await client.json('GET', WIDGETS)).toMatchObject({ items: [reported] });
    expect(await client.json('GET', `${WIDGETS}/found`)).toEqual(reported);
    expect((await client.request('GET', '/metrics')).body).not.toMatch(
      /storage_decode_errors_total\{.*widgets.*\} [1-9]/,
    );
    expect((await client.request('DELETE', `${WIDGETS}/found`)).status).toBe(200);
    expect((await store.get(key)).kv).toBeUndefined();
  });

  it('in a beta version is served as stable, and in the beta version where that is enabled', {
    timeout: 60_000,
  }, async () => {
    using folder = temporaryDirectory('found');
    await using etcd = await startEtcd();
    await using store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 });
    const claim = {
      apiVersion: 'resource.k8s.io/v1beta1',
      kind: 'ResourceClaim',
      metadata: { name: 'c', namespace: 'default', uid: 'u', creationTimestamp: '2030-01-02T03:04:05Z' },
      spec: { devices: { requests: [{ name: 'r', deviceClassName: 'gpu', allocationMode: 'All' }] } },
      status: {},
    };
    const key = '/registry/resourceclaims/default/c';
    await store.commit({ type: 'put', key, value: Buffer.from(JSON.stringify(claim)), expectedRevision: 0 });
    await using server = await serverOn(etcd, folder.path, 0, ['--runtime-config=resource.k8s.io/v1beta2=true']);
    using client = new AdminClient(server.kubeconfig);
    const path = (version: string) => `/apis/resource.k8s.io/${version}/namespaces/default/resourceclaims`;
    const served = (version: string) => ({
      ...claim,
      apiVersion: `resource.k8s.io/${version}`,
      metadata: { ...claim.metadata, resourceVersion: expect.any(String) },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'All' } }] } },
    });
    expect(await client.json('GET', `${path('v1')}/c`)).toEqual(served('v1'));
    expect(await client.json('GET', `${path('v1beta2')}/c`)).toEqual(served('v1beta2'));
    expect((await client.request('GET', path('v1beta1'))).status).toBe(404);
    expect((await client.request('DELETE', `${path('v1')}/c`)).status).toBe(200);
  });

  it('and cannot be read is named, and can be deleted', { timeout: 60_000 }, async () => {
    using folder = temporaryDirectory('found');
    await using etcd = await startEtcd();
    await using store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 });
    const put = (key: string, value: string) =>
      store.commit({ type: 'put', key, value: Buffer.from(value, 'latin1'), expectedRevision: 0 });
    const keys = ['a-torn', 'b-json', 'c-secret'].map((name) => `/abc/configmaps/default/${name}`);
    await put(keys[0] ?? '', 'k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12\xff');
    await put(keys[1] ?? '', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b-json"},}');
    await put(keys[2] ?? '', 'k8s:enc:aescbc:v1:key1:?');
    const gates = '--feature-gates=AllowUnsafeMalformedObjectDeletion=true';
    await using server = await serverOn(etcd, folder.path, 0, [gates, '--etcd-prefix=abc']);
    using client = new AdminClient(server.kubeconfig);
    expect((await client.request('POST', CONFIG_MAPS, { metadata: { name: 'd-fine' } })).status).toBe(201);
    expect((await client.request('GET', `${CONFIG_MAPS}/d-fine`)).status).toBe(200);
    const list = (await client.json('GET', CONFIG_MAPS)) as { details: { causes: { field: string }[] } };
    expect(list).toMatchObject({ code: 500, reason: 'StoreReadError' });
    expect(list.details.causes.map(({ field }) => field)).toEqual(keys);
    const option = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
    for (const name of ['a-torn', 'b-json', 'c-secret']) {
      expect((await client.request('GET', `${CONFIG_MAPS}/${name}`)).status).toBe(500);
      expect((await client.request('DELETE', `${CONFIG_MAPS}/${name}`)).status).toBe(500);
      expect((await client.request('DELETE', `${CONFIG_MAPS}/${name}`, option)).status).toBe(200);
    }
    await expect.poll(async () => (await client.request('GET', CONFIG_MAPS)).status).toBe(200);
  });
});
