import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const METADATA = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const MEDIA_TYPES = [
  'application/json',
  'application/vnd.kubernetes.protobuf',
  `application/json;${METADATA}`,
  `application/vnd.kubernetes.protobuf;${METADATA}`,
];

let server: ApiServer;
let client: AdminClient;
beforeAll(async () => {
  server = await startApiServer();
  client = new AdminClient(server.kubeconfig);
  await Promise.all(Array.from({ length: 600 }, (_, i) => put('POST', CONFIG_MAPS, `c-${i}`, i)));
});
afterAll(async () => {
  client[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

/** Sizes differ, and one object is larger than a run. */
async function put(method: string, path: string, name: string, seed: number): Promise<void> {
  const text = `${seed} ü ${'abcdefghij'.repeat(seed === 17 ? 10_000 : 40 + (seed % 50))}`;
  const metadata = { name, annotations: { text } };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } };
  expect((await client.request(method, path, body)).status).toBeLessThan(300);
}

/** Lists in every form: a full one and the pages of one, compressed and not. */
async function compressedAndPlain(accept: string) {
  const plain: string[] = [];
  const compressed: string[] = [];
  for (const path of [CONFIG_MAPS, `${CONFIG_MAPS}?limit=450`, `${CONFIG_MAPS}?limit=333&resourceVersion=0`]) {
    const pair = await unchangedPair(path, accept);
    plain.push(pair.plain);
    compressed.push(gunzipSync(pair.zipped).toString('base64'));
  }
  return { plain, compressed };
}

/** A list in both forms, at one revision: the server renews leases in between. */
async function unchangedPair(path: string, accept: string) {
  const read = async () => (await client.bytes(path, { accept })).toString('base64');
  for (let plain = await read(); ; ) {
    const zipped = await client.bytes(path, { accept, 'accept-encoding': 'gzip' });
    const before = plain;
    plain = await read();
    if (plain === before) return { plain, zipped };
  }
}

test.each(MEDIA_TYPES)('lists of %s are the same compressed, whatever changed since they were kept', async (accept) => {
  for (let round = 0; round < 3; round++) {
    const { plain, compressed } = await compressedAndPlain(accept);
    expect(compressed).toEqual(plain);
    const name = `c-${round * 100 + 50}`;
    await put('PUT', `${CONFIG_MAPS}/${name}`, name, round + 1);
    await client.request('DELETE', `${CONFIG_MAPS}/c-${round * 100 + 60}`);
    await put('POST', CONFIG_MAPS, `c-60-${round}-${MEDIA_TYPES.indexOf(accept)}`, round);
    await put('POST', CONFIG_MAPS, `c-${round * 100 + 60}`, round + 70);
  }
});

test('an object in protobuf is kept for one revision only', async () => {
  const accept = 'application/vnd.kubernetes.protobuf';
  const read = async () => (await client.bytes(`${CONFIG_MAPS}/c-5`, { accept })).toString('latin1');
  await read();
  const before = await read();
  await put('PUT', `${CONFIG_MAPS}/c-5`, 'c-5', 999);
  const after = await read();
  const text = '999 \u00c3\u00bc abcdefghij';
  expect([before.includes(text), after.includes(text), await read()]).toEqual([false, true, after]);
});
