import { createMemoryStore } from '@apiserver/registry-store/memory';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { describe, expect, it, vi } from 'vitest';
import { AdminClient, type ClientResponse } from '../harness/admin-client.ts';
import { type Peer, type PeerServers, peerServers } from './peer-servers.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const WITHOUT_PEERS = `${AGGREGATED};profile=nopeer`;
const job = {
  metadata: { name: 'j' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
};

/** Servers learn of each other a moment after their start. */
const WAITING = { timeout: 60_000, interval: 50 };

interface Groups {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly object[] }[];
  }[];
}

async function groupsOf(admin: AdminClient, accept: string): Promise<readonly string[]> {
  const { body } = await admin.request('GET', '/apis', undefined, { accept });
  return (JSON.parse(body) as Groups).items.map(({ metadata }) => metadata.name ?? '');
}

async function metric(admin: AdminClient, start: string): Promise<string | undefined> {
  const { body } = await admin.request('GET', '/metrics');
  return body.split('\n').find((line) => line.startsWith(start));
}

/** Asks until the response has this code. */
async function until(status: number, ask: () => Promise<ClientResponse>): Promise<ClientResponse> {
  return await vi.waitFor(async () => {
    const response = await ask();
    if (response.status !== status) throw new Error(`${response.status} ${response.body}`);
    return response;
  }, WAITING);
}

/** One server with everything, one without jobs and reviews. */
async function startBoth(servers: PeerServers): Promise<{ readonly full: Peer; readonly partial: Peer }> {
  const full = await servers.start('first');
  const partial = await servers.start('second', '--runtime-config=batch/v1=false,authentication.k8s.io/v1=false');
  return { full, partial };
}

async function passesRequests(servers: PeerServers): Promise<void> {
  const { full, partial } = await startBoth(servers);
  await using _full = full;
  await using _partial = partial;
  const { admin } = partial;
  await until(200, () => admin.request('GET', JOBS));
  const created = await admin.request('POST', JOBS, job);
  expect([created.status, (await full.admin.request('GET', `${JOBS}/j`)).status]).toEqual([201, 200]);
  expect(await metric(admin, 'apiserver_rerouted_request_total{code="201"')).toBe(
    'apiserver_rerouted_request_total{code="201",group="batch",resource="jobs",version="v1"} 1',
  );
}

describe('two servers of one store', () => {
  it('pass requests on that only the other one serves', async () => {
    await using servers = await peerServers(createMemoryStore());
    await passesRequests(servers);
  });

  it.skipIf(findEtcd() === undefined)(`pass requests on, on etcd too (${NO_ETCD})`, async () => {
    await using etcd = await startEtcd();
    await using servers = await peerServers(etcd.url);
    await passesRequests(servers);
  });

  it('carry the user, the audit ID and a watch on', async () => {
    await using servers = await peerServers(createMemoryStore());
    const { full, partial } = await startBoth(servers);
    await using _full = full;
    await using _partial = partial;
    const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const headers = { authorization: 'Bearer alice-token', 'audit-id': 'of-the-test' };
    using alice = new AdminClient(partial.server.kubeconfigPath ?? '', { isStranger: true });
    const answer = await until(201, () => alice.request('POST', review, {}, headers));
    expect(JSON.parse(answer.body).status.userInfo).toMatchObject({
      username: 'alice',
      uid: 'alice-uid',
      groups: ['a', 'b', 'system:authenticated'],
    });
    expect(answer.headers['audit-id']).toBe('of-the-test, of-the-test');
    const bytes = Buffer.from('Zoë ☃').toString('latin1');
    const zoe = await partial.admin.request('POST', review, {}, { 'impersonate-user': bytes });
    expect(JSON.parse(zoe.body).status.userInfo.username).toBe('Zoë ☃');
    await full.admin.request('POST', JOBS, job);
    const events = await until(200, () =>
      partial.admin.request('GET', `${JOBS}?watch=true&timeoutSeconds=1&resourceVersion=0`),
    );
    expect(JSON.parse(events.body.split('\n')[0] ?? '')).toMatchObject({ type: 'ADDED', object: { kind: 'Job' } });
  });

  it('answer themselves what another server has passed on', async () => {
    await using servers = await peerServers(createMemoryStore());
    const { full, partial } = await startBoth(servers);
    await using _full = full;
    await using _partial = partial;
    await until(200, () => partial.admin.request('GET', JOBS));
    const passed = await partial.admin.request('GET', JOBS, undefined, { 'x-kubernetes-peer-proxied': 'true' });
    const unknown = await partial.admin.request('GET', '/apis/batch/v1/namespaces/default/nothings');
    expect([passed.status, unknown.status]).toEqual([404, 404]);
  });

  it('show in discovery what all serve, and what they alone serve if a client asks for that', async () => {
    await using servers = await peerServers(createMemoryStore());
    const { full, partial } = await startBoth(servers);
    await using _full = full;
    await using _partial = partial;
    const { admin } = partial;
    await until(200, () => admin.request('GET', JOBS));
    const own = await groupsOf(admin, WITHOUT_PEERS);
    expect([own.includes('batch'), own.includes('apps')]).toEqual([false, true]);
    const all = await groupsOf(full.admin, WITHOUT_PEERS);
    expect(await groupsOf(admin, AGGREGATED)).toEqual(all);
    expect(await groupsOf(full.admin, AGGREGATED)).toEqual(all);
    expect(await metric(admin, 'aggregator_discovery_nopeer_requests_total')).toMatch(/ [1-9]/);
    expect(await metric(admin, 'aggregator_discovery_peer_aggregated_cache_misses_total')).toMatch(/ [1-9]/);
  });

  it('do not ask each other for custom resources, which both read from the store', async () => {
    await using servers = await peerServers(createMemoryStore());
    const { full, partial } = await startBoth(servers);
    await using _full = full;
    await using _partial = partial;
    const { admin } = partial;
    await until(200, () => admin.request('GET', JOBS));
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const widgets = '/apis/example.com/v1/widgets';
    const schema = { openAPIV3Schema: { type: 'object' } };
    await full.admin.request('POST', definitions, {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await until(200, () => admin.request('GET', widgets));
    await full.admin.request('DELETE', `${definitions}/widgets.example.com`);
    await until(404, () => admin.request('GET', widgets));
    const { body } = await admin.request('GET', '/metrics');
    const rerouted = body.split('\n').filter((line) => line.startsWith('apiserver_rerouted_request_total{'));
    expect([rerouted.length > 0, rerouted.some((line) => line.includes('example.com'))]).toEqual([true, false]);
  });

  it('publish where others reach them', async () => {
    await using servers = await peerServers(createMemoryStore());
    const address = ['--peer-advertise-ip=192.0.2.1', '--peer-advertise-port=7000'];
    await using first = await servers.start('first', ...address);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
    const selector = 'labelSelector=apiserver.kubernetes.io/identity=kube-apiserver';
    const annotations = await vi.waitFor(async () => {
      const { body } = await first.admin.request('GET', `${leases}?${selector}`);
      const [lease] = JSON.parse(body).items;
      return lease.metadata.annotations;
    }, WAITING);
    expect(annotations).toEqual({ 'kubernetes.io/peer-advertise-address': '192.0.2.1:7000' });
  });
});
