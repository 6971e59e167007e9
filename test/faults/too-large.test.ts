import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminClient, type ClientResponse } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';

const path = '/api/v1/namespaces/default/configmaps';

/** Keys of this length are most of an object of this many, and once more of its managed fields. */
const KEY_LENGTH = 250;
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}.`.padEnd(KEY_LENGTH, 'k'), '']));
/** 1 MiB, too large with its managed fields; and 1.6 MiB, too large in any case. */
const large = keys(4000);
const tooLarge = keys(6500);

const refused = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'etcdserver: request is too large',
  code: 500,
};

type Write = (client: AdminClient, name: string, data: object) => Promise<ClientResponse>;

async function begin(client: AdminClient, name: string): Promise<void> {
  expect((await client.request('POST', path, { metadata: { name } })).status).toBe(201);
}

const patch = (client: AdminClient, name: string, type: string, body: object) =>
  client.request('PATCH', `${path}/${name}`, body, { 'content-type': type });

const create: Write = (client, name, data) => client.request('POST', path, { metadata: { name }, data });
const update: Write = async (client, name, data) => {
  await begin(client, name);
  return client.request('PUT', `${path}/${name}`, { metadata: { name }, data });
};
const mergePatch: Write = async (client, name, data) => {
  await begin(client, name);
  return patch(client, name, 'application/merge-patch+json', { data });
};
const strategicPatch: Write = async (client, name, data) => {
  await begin(client, name);
  return patch(client, name, 'application/strategic-merge-patch+json', { data });
};
const jsonPatch: Write = async (client, name, data) => {
  await begin(client, name);
  return patch(client, name, 'application/json-patch+json', [{ op: 'add', path: '/data', value: data }]);
};
const apply: Write = (client, name, data) =>
  patch(client, `${name}?fieldManager=test`, 'application/apply-patch+yaml', body(name, data));
const body = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

const writes = { create, update, mergePatch, strategicPatch, jsonPatch };

const backends = ['memory', 'lmdb', ...(findEtcd() === undefined ? [] : ['etcd3'])];
if (findEtcd() === undefined) it.skip(`what is too large for etcd: ${NO_ETCD}`, () => {});

describe.each(backends)('an object too large for storage: %s', (backend) => {
  let etcd: Awaited<ReturnType<typeof startEtcd>> | undefined;
  let server: ApiServer | undefined;
  let client: AdminClient;

  beforeAll(async () => {
    etcd = backend === 'etcd3' ? await startEtcd() : undefined;
    const args = etcd === undefined ? [`--storage-backend=${backend}`] : [`--etcd-servers=${etcd.url}`];
    server = await startApiServer({ args });
    client = new AdminClient(server.kubeconfig);
  });
  afterAll(async () => {
    client?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    await etcd?.[Symbol.asyncDispose]();
  });

  it.each(Object.entries(writes))('%s goes without managed fields, or is refused', async (verb, write) => {
    const name = verb.toLowerCase();
    const written = await write(client, name, large);
    expect([200, 201]).toContain(written.status);
    const { metadata, data } = JSON.parse((await client.request('GET', `${path}/${name}`)).body);
    expect([metadata.managedFields, Object.keys(data).length]).toEqual([undefined, 4000]);
    const response = await write(client, `${name}-2`, tooLarge);
    expect([response.status, JSON.parse(response.body)]).toEqual([500, refused]);
    const after = await client.request('GET', `${path}/${name}-2`);
    if (verb === 'create') expect(after.status).toBe(404);
    else expect(JSON.parse(after.body)).not.toHaveProperty('data');
  });

  it('apply is refused: it cannot drop managed fields', async () => {
    for (const data of [large, tooLarge]) {
      const response = await apply(client, 'apply', data);
      expect([response.status, JSON.parse(response.body)]).toEqual([500, refused]);
    }
    expect((await client.request('GET', `${path}/apply`)).status).toBe(404);
    expect((await apply(client, 'apply', { a: 'b' })).status).toBe(201);
  });
});
