import type { Logger } from '@apiserver/apiserver-contracts';
import { alwaysAllow } from '@apiserver/authorization';
import type { PreparedServer } from '@apiserver/generic-server';
import { callHandler } from '@apiserver/generic-server/testing';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSampleServer } from './create-sample-server.js';

const failures: string[] = [];
const logger: Logger = {
  info: () => {},
  warning: () => {},
  error: (error, message) => failures.push(`${message}: ${error}`),
  v: () => undefined,
  named: () => logger,
};
const path = '/apis/wardle.example.com/v1/namespaces/sea/flunders';
const stop = new AbortController();
let server: PreparedServer;
let running: Promise<void>;

beforeAll(() => {
  server = createSampleServer({
    store: createMemoryStore(),
    logger,
    configure: (config) => {
      config.authorizer = alwaysAllow();
      config.authenticator = { authenticateRequest: async () => ({ user: { name: 'fisher', groups: [], extra: {} } }) };
    },
  }).prepareServer();
  running = server.run(stop.signal);
});
afterAll(async () => {
  stop.abort();
  await running;
  expect(failures).toEqual([]);
});

async function request(method: string, url: string, body?: object, headers: Record<string, string> = {}) {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const text = body === undefined ? '' : JSON.stringify(body);
  const answer = await callHandler(server.handler, { method, url, body: text, headers: { ...type, ...headers } });
  return { status: answer.status, body: answer.body.startsWith('{') ? JSON.parse(answer.body) : answer.body };
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
