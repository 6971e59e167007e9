import { Buffer } from 'node:buffer';
import { openEtcdStore } from '@apiserver/registry-store/etcd3';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { serverOn } from './server-on.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const NETWORKING = '/apis/networking.k8s.io/v1';
/** 14 addresses, of which `kubernetes` has one, and 13 ports. */
const RANGES = ['--service-cluster-ip-range=10.0.0.0/28', '--service-node-port-range=30000-30012'];

interface Service {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
}

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

it.skipIf(findEtcd() === undefined)(
  `two servers of one etcd give every address and node port once (${NO_ETCD})`,
  async () => {
    using folder = temporaryDirectory('addresses');
    await using etcd = await startEtcd();
    await using first = await serverOn(etcd, folder.path, 0, RANGES);
    await using second = await serverOn(etcd, folder.path, 1, RANGES);
    using one = new AdminClient(first.kubeconfig);
    using two = new AdminClient(second.kubeconfig);
    const clients = [one, two];
    const create = async (i: number) => {
      const spec = { type: 'NodePort', ports: [{ port: 80 }] };
      const client = clients[i % 2] ?? one;
      const { status, body } = await client.request('POST', SERVICES, { metadata: { name: `s${i}` }, spec });
      return status === 201 ? (JSON.parse(body) as Service) : (JSON.parse(body) as { message: string }).message;
    };
    const names = async (client: AdminClient, path: string) => {
      const { items } = JSON.parse((await client.request('GET', path)).body) as Listed;
      return items.map(({ metadata }) => metadata.name).sort();
    };
    await expect.poll(() => names(two, `${NETWORKING}/ipaddresses`)).toEqual(['10.0.0.1']);

    const responses = await Promise.all(Array.from({ length: 20 }, (_, i) => create(i)));
    const made = responses.filter((response): response is Service => typeof response !== 'string');
    const addresses = made.map(({ spec }) => spec.clusterIP);
    expect(made.length).toBe(13);
    expect([new Set(addresses).size, new Set(made.map(({ spec }) => spec.ports[0]?.nodePort)).size]).toEqual([13, 13]);
    const refusals = responses.filter((response) => typeof response === 'string');
    for (const refusal of refusals) {
      expect(refusal).toMatch(/^Internal error occurred: failed to allocate a (serviceIP|nodePort): range is full$/);
    }
    expect(await names(one, `${NETWORKING}/ipaddresses`)).toEqual([...addresses, '10.0.0.1'].sort());
    expect(await names(two, `${NETWORKING}/servicecidrs`)).toEqual(['kubernetes']);

    // An address that one server releases is free for the other at once.
    const [name = ''] = (await names(one, SERVICES)).filter((each) => each !== 'kubernetes');
    expect((await one.request('DELETE', `${SERVICES}/${name}`)).status).toBe(200);
    expect(await create(21)).toMatchObject({ spec: { ports: [{ nodePort: expect.any(Number) }] } });

    await using store = await openEtcdStore({ servers: [etcd.url], compactionInterval: 0 });
    const range = await store.get('/registry/ranges/servicenodeports');
    const bytes = Buffer.from(range.kv?.value ?? new Uint8Array());
    expect(bytes.subarray(0, 4).toString('latin1')).toBe('k8s\0');
    expect(bytes.toString('latin1')).toContain('RangeAllocation');
    expect(bytes.toString('latin1')).toContain('30000-30012');
  },
);
