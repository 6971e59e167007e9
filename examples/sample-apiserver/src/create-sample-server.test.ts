import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { type ApiServer, createApiServer } from '@apiserver/generic-server';
import { callHandler } from '@apiserver/generic-server/testing';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSampleServer } from './create-sample-server.js';
import { flunders } from './flunder.js';

const path = '/apis/wardle.example.com/v1/namespaces/sea/flunders';
let api: ApiServer;

beforeAll(async () => {
  api = await createApiServer({
    groups: [{ resources: [flunders] }],
    storage: createMemoryStore(),
    logger: throwingLogger,
    authentication: { authenticateRequest: () => ({ user: { name: 'fisher', groups: [], extra: {} } }) },
    authorization: { authorize: () => ({ decision: 'Allow', reason: '' }) },
  });
  await api.mount();
});
afterAll(() => api[Symbol.asyncDispose]());

async function request(method: string, url: string, body?: object, headers: Record<string, string> = {}) {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const text = body === undefined ? '' : JSON.stringify(body);
  const response = await callHandler(api.server.handler, { method, url, body: text, headers: { ...type, ...headers } });
  return { status: response.status, body: response.body.startsWith('{') ? JSON.parse(response.body) : response.body };
}

describe('a server of one kind', () => {
  it('creates with defaults, reads, patches, refuses and deletes', async () => {
    const created = await request('POST', path, {
      apiVersion: 'wardle.example.com/v1',
      kind: 'Flunder',
      metadata: { name: 'one' },
      spec: { reference: 'two' },
    });
    expect([created.status, created.body.spec]).toEqual([201, { reference: 'two', referenceType: 'Flunder' }]);
    expect((await request('GET', `${path}/one`)).body).toEqual(created.body);

    const merge = { 'content-type': 'application/merge-patch+json' };
    const patched = await request('PATCH', `${path}/one`, { spec: { reference: null } }, merge);
    expect([patched.status, patched.body.spec]).toEqual([200, { referenceType: 'Flunder' }]);

    const refused = await request('PATCH', `${path}/one`, { spec: { reference: 'one' } }, merge);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'Flunder.wardle.example.com "one" is invalid: spec.reference: Invalid value: "one": a flunder must not refer to itself',
    ]);

    const deleted = await request('DELETE', `${path}/one`);
    expect([deleted.status, deleted.body.kind]).toEqual([200, 'Flunder']);
    expect((await request('GET', `${path}/one`)).body.message).toBe('flunders.wardle.example.com "one" not found');
  });

  it('selects by a field of the kind and shows its columns', async () => {
    const make = (name: string, referenceType: string) =>
      request('POST', path, {
        apiVersion: 'wardle.example.com/v1',
        kind: 'Flunder',
        metadata: { name },
        spec: { referenceType },
      });
    await make('a', 'Flunder');
    await make('b', 'Fischer');
    const selected = await request('GET', `${path}?fieldSelector=spec.referenceType=Fischer`);
    expect(selected.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['b']);
    const table = await request('GET', path, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body.rows.map((row: { cells: string[] }) => row.cells)).toEqual([
      ['a', ''],
      ['b', ''],
    ]);
  });

  it('is found by discovery and OpenAPI', async () => {
    const group = await request('GET', '/apis/wardle.example.com/v1');
    expect(group.body.resources.map((resource: { name: string }) => resource.name)).toEqual(['flunders']);
    const openApi = await request('GET', '/openapi/v3/apis/wardle.example.com/v1');
    expect(Object.keys(openApi.body.components.schemas)).toContain('com.example.wardle.v1.Flunder');
  });

  it('is ready', async () => {
    expect((await request('GET', '/readyz')).body).toBe('ok');
  });
});

describe('createSampleServer', () => {
  it.each([
    [['--secure-port=0', '--no-such-flag'], 'unknown flag: --no-such-flag'],
    [['--secure-port=70000'], '--secure-port 70000 must be between 0 and 65535, inclusive'],
  ])('refuses %j', (flags, message) => {
    expect(() => createSampleServer(flags, { storage: createMemoryStore() })).toThrow(message);
  });

  it('needs a core server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sample-'));
    try {
      const server = createSampleServer([`--cert-dir=${folder}`], { storage: createMemoryStore() });
      await expect(server).rejects.toThrow('unable to load in-cluster configuration');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
