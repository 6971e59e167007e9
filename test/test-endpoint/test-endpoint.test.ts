import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, runBinary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const ON = '--test-endpoint=127.0.0.1:0';

/** A test's client of the endpoint, made from its file. */
class EndpointClient {
  readonly #url: string;
  readonly #token: string;

  constructor(file: string) {
    const { url, token } = JSON.parse(readFileSync(file, 'utf8'));
    this.#url = url;
    this.#token = token;
  }

  async send(method: string, path: string, body?: unknown): Promise<{ status: number; value: unknown }> {
    const { status, text } = await this.#fetch(method, path, body);
    return { status, value: text === '' ? undefined : JSON.parse(text) };
  }

  async lines(path: string): Promise<readonly unknown[]> {
    const { text } = await this.#fetch('GET', path);
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  async #fetch(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }
}

function fileOf(server: ApiServer): string {
  const [, file = ''] = /^test endpoint: (.*)$/m.exec(server.stdout) ?? [];
  return file;
}

async function names(client: AdminClient): Promise<readonly string[]> {
  const { body } = await client.request('GET', CONFIG_MAPS);
  return JSON.parse(body).items.map((item: { metadata: { name: string } }) => item.metadata.name);
}

it('is off by default', async () => {
  await using server = await startApiServer();
  expect(server.stdout).not.toContain('test endpoint');
  expect(existsSync(join(server.dataDirectory, 'test-endpoint.json'))).toBe(false);
});

it('restores snapshots and advances the time of a server of its own process', async () => {
  await using server = await startApiServer({ args: [ON, '--event-ttl=1h'] });
  const file = fileOf(server);
  expect(file).toBe(join(server.dataDirectory, 'test-endpoint.json'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(`${server.stdout}${server.stderr}`).not.toContain(JSON.parse(readFileSync(file, 'utf8')).token);
  // Without a flag for the store, it is in memory.
  expect(existsSync(join(server.dataDirectory, 'db'))).toBe(false);
  const endpoint = new EndpointClient(file);
  using client = new AdminClient(server.kubeconfig);

  expect((await endpoint.send('POST', '/snapshots', { name: 'prepared' })).status).toBe(201);
  const event = { metadata: { name: 'soon' }, involvedObject: { namespace: 'default' }, reason: 'Some' };
  const before = await names(client);
  expect((await client.request('POST', CONFIG_MAPS, { metadata: { name: 'added' } })).status).toBe(201);
  expect(await names(client)).toContain('added');
  expect((await endpoint.send('POST', '/snapshots/prepared/restore')).status).toBe(200);
  expect(await names(client)).toEqual(before);

  const events = '/api/v1/namespaces/default/events';
  expect((await client.request('POST', events, event)).status).toBe(201);
  expect((await endpoint.send('POST', '/clock/advance', { duration: '59m' })).status).toBe(200);
  expect((await client.request('GET', `${events}/soon`)).status).toBe(200);
  expect((await endpoint.send('POST', '/clock/advance', { duration: '2m' })).status).toBe(200);
  await expect.poll(async () => (await client.request('GET', `${events}/soon`)).status).toBe(404);

  expect((await server.stop()).code).toBe(0);
  expect(existsSync(file)).toBe(false);
});

it('makes faults and lists requests', async () => {
  await using server = await startApiServer({ args: [ON] });
  const endpoint = new EndpointClient(fileOf(server));
  using client = new AdminClient(server.kubeconfig);
  const rule = { verb: 'create', resource: 'configmaps', times: 1, response: { reason: 'TooManyRequests' } };
  expect((await endpoint.send('POST', '/faults', rule)).status).toBe(201);
  const statuses = [];
  for (let i = 0; i < 2; i++) {
    statuses.push((await client.request('POST', CONFIG_MAPS, { metadata: { name: 'some' } })).status);
  }
  expect(statuses).toEqual([429, 201]);
  const lines = await endpoint.lines('/requests?verb=create&resource=configmaps');
  expect(lines).toMatchObject([
    { user: 'kubernetes-admin', response: { status: 429 }, faults: [{ rule: 'fault-1', effect: 'response' }] },
    { name: 'some', body: { metadata: { name: 'some' } }, response: { status: 201 }, faults: [] },
  ]);
  expect(await endpoint.lines('/requests?user=nobody')).toEqual([]);
});

it('has a clock, but no snapshots, over another store', async () => {
  await using server = await startApiServer({ args: [ON, '--storage-backend=lmdb'] });
  expect(existsSync(join(server.dataDirectory, 'db'))).toBe(true);
  const endpoint = new EndpointClient(fileOf(server));
  expect((await endpoint.send('POST', '/snapshots')).status).toBe(501);
  expect((await endpoint.send('POST', '/clock/hold')).status).toBe(200);
});

describe('refusals', () => {
  it('refuses an address that other machines reach', async () => {
    const { code, stderr } = await runBinary(['--test-endpoint=0.0.0.0:0']);
    expect(code).toBe(1);
    expect(stderr).toContain('--test-endpoint: 0.0.0.0 is not a loopback address');
  });

  it('ends when the port is taken, before the server starts', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    using folder = temporaryDirectory('test-endpoint');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, stderr } = await runBinary([`--test-endpoint=127.0.0.1:${port}`, `--data-dir=${folder.path}/data`]);
    other.close();
    expect([code, existsSync(join(folder.path, 'data'))]).toEqual([1, false]);
    expect(stderr).toContain('--test-endpoint: listen EADDRINUSE');
  });

  it.each(['folder that is missing/below', 'file/below'])('ends when its file cannot be written: %s', async (path) => {
    using folder = temporaryDirectory('test-endpoint');
    writeFileSync(join(folder.path, 'file'), '');
    const args = [ON, `--test-endpoint-file=${join(folder.path, path)}`, `--data-dir=${folder.path}/data`];
    const { code, stderr } = await runBinary([...args, '--secure-port=0', '--bind-address=127.0.0.1']);
    expect(code).toBe(1);
    expect(stderr).toContain('err="--test-endpoint-file: ');
  });
});
