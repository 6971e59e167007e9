import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
/** Enough for a body to be worked on in several turns of the event loop. */
const large = 'x'.repeat(70 * 1024);

const configMap = (name: string, data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

/** The parts of a ConfigMap that the test reads back. */
interface ReadConfigMap {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly managedFields: readonly { readonly manager: string }[];
  };
  readonly data: Readonly<Record<string, string>>;
}

describe('large writes beside others', () => {
  let server: ApiServer;
  let client: AdminClient;
  beforeAll(async () => {
    server = await startApiServer();
    client = new AdminClient(server.kubeconfig);
  });
  afterAll(async () => {
    client[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  const read = async (name: string): Promise<ReadConfigMap> =>
    JSON.parse((await client.request('GET', `${CONFIG_MAPS}/${name}`)).body);

  it('lose no concurrent write', async () => {
    await client.request('POST', CONFIG_MAPS, configMap('shared', { begun: large }));
    const url = `${CONFIG_MAPS}/shared`;
    const writes = Array.from({ length: 4 }, (_, i) => [
      client.request('PATCH', url, { data: { [`large-${i}`]: large } }, MERGE),
      client.request('PATCH', url, { data: { [`small-${i}`]: '' } }, MERGE),
      client.request(
        'PATCH',
        `${url}?fieldManager=applier-${i}`,
        configMap('shared', { [`applied-${i}`]: large }),
        APPLY,
      ),
    ]).flat();
    const responses = await Promise.all(writes);
    expect(responses.filter(({ status }) => status !== 200).map(({ body }) => body.slice(0, 300))).toEqual([]);
    const { data, metadata } = await read('shared');
    const names = ['large', 'small', 'applied'].flatMap((kind) => Array.from({ length: 4 }, (_, i) => `${kind}-${i}`));
    expect(Object.keys(data).sort()).toEqual(['begun', ...names].sort());
    const appliers = metadata.managedFields.map(({ manager }) => manager).filter((name) => name.startsWith('applier'));
    expect(appliers.sort()).toEqual(Array.from({ length: 4 }, (_, i) => `applier-${i}`));
    const versions = responses.map(({ body }) => JSON.parse(body).metadata.resourceVersion);
    expect(new Set(versions).size).toBe(responses.length);
  });

  it('make an object once, and replace the version they name only', async () => {
    const creates = await Promise.all(
      Array.from({ length: 6 }, (_, i) => client.request('POST', CONFIG_MAPS, configMap('once', { [`${i}`]: large }))),
    );
    expect(creates.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    const { metadata } = await read('once');
    const replacement = (i: number) => ({
      ...configMap('once', { [`new-${i}`]: large }),
      metadata: { ...metadata, name: 'once' },
    });
    const updates = await Promise.all(
      Array.from({ length: 6 }, (_, i) => client.request('PUT', `${CONFIG_MAPS}/once`, replacement(i))),
    );
    expect(updates.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it('do not restore an object that was deleted meanwhile', async () => {
    await client.request('POST', CONFIG_MAPS, configMap('going', { begun: large }));
    const patching = client.request('PATCH', `${CONFIG_MAPS}/going`, { data: { more: large } }, MERGE);
    const [patched, deleted] = await Promise.all([patching, client.request('DELETE', `${CONFIG_MAPS}/going`)]);
    expect([200, 404]).toContain(patched.status);
    expect(deleted.status).toBe(200);
    expect((await client.request('GET', `${CONFIG_MAPS}/going`)).status).toBe(404);
  });
});
