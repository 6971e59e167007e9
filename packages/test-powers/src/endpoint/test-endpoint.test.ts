import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { silentLogger } from '@apiserver/component-base/logging';
import { createMemoryStore, type MemoryStore } from '@apiserver/registry-store/memory';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlaneClock } from '../clock/plane-clock.js';
import { Faults } from '../faults/faults.js';
import { Requests } from '../requests/requests.js';
import { TestEndpoint } from './test-endpoint.js';

const KEY = '/registry/some';

let endpoint: TestEndpoint;
let store: MemoryStore;
let clock: PlaneClock;
let faults: Faults;
let requests: Requests;
beforeEach(async () => {
  clock = new PlaneClock(new Date('2030-01-01T00:00:00Z'));
  store = createMemoryStore({ clock });
  endpoint = await TestEndpoint.listen({ host: '127.0.0.1', port: 0, logger: silentLogger });
  faults = new Faults(clock);
  requests = new Requests({ faults });
  endpoint.serve({ clock, store, faults, requests });
});
afterEach(async () => {
  await endpoint[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

async function put(value: string): Promise<void> {
  const expectedRevision = (await store.get(KEY)).kv?.modRevision ?? 0;
  await store.commit({ type: 'put', key: KEY, value: Buffer.from(value), expectedRevision });
}

async function stored(): Promise<string | undefined> {
  const { kv } = await store.get(KEY);
  return kv && Buffer.from(kv.value).toString();
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The status of a response and its JSON, or its text. */
async function send(method: string, path: string, { headers = {}, body }: Sent = {}) {
  const authorization = { authorization: `Bearer ${endpoint.token}` };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; value: unknown }>();
  const sent = request(`${endpoint.url}${path}`, { method, agent: false, headers: { ...authorization, ...headers } });
  sent.on('error', reject);
  sent.on('response', async (response) => {
    const content = await text(response);
    const isJson = response.headers['content-type'] === 'application/json';
    resolve({ status: response.statusCode ?? 0, value: isJson ? JSON.parse(content) : content });
  });
  sent.end(body);
  return await promise;
}

async function post(path: string, body: unknown = {}) {
  return await send('POST', path, { body: JSON.stringify(body) });
}

async function refusal(...sent: Parameters<typeof send>) {
  const { status, value } = await send(...sent);
  const { kind, reason, message } = Object(value);
  return [status, kind, reason, message];
}

describe('access', () => {
  it.each([
    ['no token', { authorization: '' }],
    ['another token', { authorization: `Bearer ${'a'.repeat(43)}` }],
    ['a long token', { authorization: `Bearer ${'a'.repeat(5000)}` }],
    ['another scheme', { authorization: 'Basic YTpi' }],
  ])('refuses %s, also for paths that do not exist', async (_, headers) => {
    for (const path of ['/clock', '/none']) {
      const [status, kind, reason, message] = await refusal('GET', path, { headers });
      expect([status, kind, reason]).toEqual([401, 'Status', 'Unauthorized']);
      expect(message).toContain('Authorization: Bearer TOKEN');
    }
  });

  it.each([
    ['another host', { host: 'attacker.example' }],
    ['a host that begins like a loopback address', { host: '127.0.0.1.attacker.example:80' }],
    ['an address in octal', { host: '0127.0.0.1' }],
    ['a port alone', { host: ':80' }],
    ['a web page', { origin: 'http://127.0.0.1:8080' }],
  ])('refuses %s even with the token', async (_, headers) => {
    expect((await refusal('GET', '/clock', { headers })).slice(0, 3)).toEqual([403, 'Status', 'Forbidden']);
  });

  it.each(['localhost', 'LOCALHOST:7000', '127.0.0.1:7000', '127.8.8.8', '[::1]:7000'])(
    'takes the host %s',
    async (host) => {
      expect((await send('GET', '/clock', { headers: { host } })).status).toBe(200);
    },
  );

  it('has a token of 256 bits, another one for each endpoint', async () => {
    await using other = await TestEndpoint.listen({ host: '127.0.0.1', port: 0, logger: silentLogger });
    expect(endpoint.token).toMatch(/^[\w-]{43}$/);
    expect(other.token).not.toBe(endpoint.token);
    expect((await fetch(other.url, { headers: { authorization: `Bearer ${other.token}` } })).status).toBe(503);
  });

  it('closes a connection whose head is too large', async () => {
    const socket = connect(Number(new URL(endpoint.url).port), '127.0.0.1');
    socket.write(`GET /clock HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ${'x'.repeat(9000)}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('requests', () => {
  it('lists its paths', async () => {
    const { value } = await send('GET', '/');
    expect(Object(value).paths).toMatchObject({ '/snapshots/NAME': ['GET', 'PUT', 'DELETE'], '/clock': ['GET'] });
  });

  it.each([
    ['GET', '/none', 404],
    ['GET', '/snapshots/a/b/c', 404],
    ['GET', '/snapshots/none', 404],
    ['DELETE', '/snapshots/none', 404],
    ['POST', '/snapshots/none/restore', 404],
    ['DELETE', '/clock', 405],
    ['constructor', '/clock', 400],
    ['GET', '/snapshots/..%2f..%2fetc', 400],
    ['GET', '/snapshots/%ff', 400],
    ['PUT', '/snapshots/.hidden', 400],
    ['PUT', `/snapshots/${'a'.repeat(64)}`, 400],
  ])('%s %s is %i', async (method, path, status) => {
    expect((await send(method, path)).status).toBe(status);
  });

  it.each([
    ['/snapshots', '[]', 400, 'the body is not a JSON object'],
    ['/snapshots', '{', 400, 'the body is not JSON: '],
    ['/snapshots', '{"nam":"a"}', 400, 'unknown field "nam" (known: name)'],
    ['/snapshots', '{"name":1}', 400, 'the name of a snapshot has at most 63'],
    ['/clock/hold', '{"now":true}', 400, 'unknown field "now" (none is known)'],
    ['/clock/advance', '{}', 400, 'duration: a text such as "1h30m" is required'],
    ['/clock/advance', '{"duration":"soon"}', 400, 'invalid duration'],
    ['/clock/advance', '{"duration":"-1s"}', 400, 'a clock cannot be advanced by -1s'],
    ['/clock/set', '{"time":"2029-12-31T23:59:59Z"}', 400, 'a clock cannot be advanced by -1000 ms'],
    ['/clock/set', '{"time":"tomorrow"}', 400, 'time: '],
    ['/snapshots', `{"name":"${'a'.repeat(1024 * 1024)}"}`, 413, 'limit is 1048576 bytes'],
  ])('POST %s with %.30s is %i', async (path, body, status, message) => {
    const refused = await refusal('POST', path, { body });
    expect(refused[0]).toBe(status);
    expect(refused[3]).toContain(message);
  });

  it('refuses a body that is too large by its length alone, and one without a length', async () => {
    const headers = { 'content-length': String(300 * 1024 * 1024), expect: '100-continue' };
    expect((await refusal('PUT', '/snapshots/large', { headers }))[0]).toBe(413);
    const chunked = { 'transfer-encoding': 'chunked' };
    const body = Buffer.alloc(2 * 1024 * 1024, ' ');
    expect((await refusal('POST', '/snapshots', { headers: chunked, body }))[0]).toBe(413);
  });
});

describe('snapshots', () => {
  it('are taken, restored, replaced and removed by name', async () => {
    await put('one');
    expect(await post('/snapshots', { name: 'a' })).toMatchObject({ status: 201, value: { name: 'a' } });
    await put('two');
    expect(await post('/snapshots')).toMatchObject({ status: 201, value: { name: 'snapshot-1' } });
    expect((await post('/snapshots/a/restore')).status).toBe(200);
    expect(await stored()).toBe('one');
    expect((await post('/snapshots/snapshot-1/restore')).status).toBe(200);
    expect(await stored()).toBe('two');
    await post('/snapshots', { name: 'a' });
    expect(Object((await send('GET', '/snapshots')).value).snapshots).toHaveLength(2);
    expect((await send('DELETE', '/snapshots/a')).status).toBe(204);
    expect((await post('/snapshots/a/restore')).status).toBe(404);
  });

  it('go to a file and back, also to another server', async () => {
    await put('kept');
    await post('/snapshots', { name: 'a' });
    const headers = { authorization: `Bearer ${endpoint.token}` };
    const file = new Uint8Array(await (await fetch(`${endpoint.url}/snapshots/a`, { headers })).arrayBuffer());
    await put('changed');
    expect((await send('PUT', '/snapshots/b', { body: file })).status).toBe(201);
    await post('/snapshots/b/restore');
    expect(await stored()).toBe('kept');
    for (const damaged of [file.subarray(0, file.length - 1), new Uint8Array(100), new Uint8Array()]) {
      expect((await send('PUT', '/snapshots/c', { body: damaged })).status).toBe(400);
    }
    expect((await send('GET', '/snapshots/c')).status).toBe(404);
  });

  it('are at most a hundred, each of which can be replaced', async () => {
    for (let i = 1; i <= 100; i++) await post('/snapshots');
    expect((await refusal('POST', '/snapshots'))[0]).toBe(409);
    expect((await post('/snapshots', { name: 'snapshot-1' })).status).toBe(201);
  });

  it('say that only memory has them', async () => {
    endpoint.serve({ clock, store: undefined, faults, requests });
    const refused = [501, 'Status', undefined, 'only --storage-backend=memory has snapshots'];
    expect(await refusal('POST', '/snapshots')).toEqual(refused);
    expect(await refusal('POST', '/snapshots/a/restore')).toEqual(refused);
    expect((await send('GET', '/clock')).status).toBe(200);
  });
});

it('holds, advances, sets and releases the clock', async () => {
  const ran: string[] = [];
  clock.schedule(() => ran.push('due'), 60_000);
  const at = (time: string, held = true) => ({ status: 200, value: { time, held } });
  expect(await send('GET', '/clock')).toEqual(at('2030-01-01T00:00:00.000Z'));
  expect(await post('/clock/advance', { duration: '1m' })).toEqual(at('2030-01-01T00:01:00.000Z'));
  expect(ran).toEqual(['due']);
  expect(await post('/clock/set', { time: '2031-01-01T01:00:00+01:00' })).toEqual(at('2031-01-01T00:00:00.000Z'));
  expect(Object((await post('/clock/release')).value)).toMatchObject({ held: false });
  expect(Object((await post('/clock/hold')).value)).toMatchObject({ held: true });
});

describe('faults', () => {
  const rule = { verb: 'update', resource: 'pods/status', times: 2, response: { reason: 'Conflict' } };

  it('are added, listed and removed', async () => {
    expect(await post('/faults', rule)).toEqual({
      status: 201,
      value: { ...rule, id: 'fault-1', matched: 0, struck: 0 },
    });
    await post('/faults', { id: 'slow', delay: '1s' });
    const ids = async () => Object((await send('GET', '/faults')).value).faults.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual(['fault-1', 'slow']);
    expect((await send('DELETE', '/faults/slow')).status).toBe(204);
    expect((await send('DELETE', '/faults/slow')).status).toBe(404);
    expect((await send('DELETE', '/faults')).status).toBe(204);
    expect(await ids()).toEqual([]);
  });

  it.each([
    [{}, 'rule: needs an effect'],
    [{ ...rule, verbs: 'get' }, 'rule.verbs: unknown field'],
    [{ ...rule, times: 'twice' }, 'rule.times: '],
    [{ ...rule, id: 'taken' }, 'rule.id: taken is taken'],
  ])('refuse %j', async (refused, message) => {
    faults.add({ id: 'taken', delay: 1 });
    const [status, , , text] = await refusal('POST', '/faults', { body: JSON.stringify(refused) });
    expect([status, text]).toEqual([400, expect.stringContaining(message)]);
  });

  it('are at most a hundred', async () => {
    for (let i = 0; i < 100; i++) faults.add({ delay: 1 });
    expect((await refusal('POST', '/faults', { body: '{"delay":1}' }))[0]).toBe(409);
  });
});

describe('requests', () => {
  it('refuse a filter that they do not know', async () => {
    expect((await refusal('GET', '/requests?verbs=get')).slice(0, 3)).toEqual([400, 'Status', 'BadRequest']);
    expect((await refusal('GET', '/requests?after=many')).slice(0, 3)).toEqual([400, 'Status', 'BadRequest']);
    expect(await send('GET', '/requests?verb=get&verb=list&after=3&internal=true')).toEqual({ status: 200, value: '' });
    expect((await send('DELETE', '/requests')).status).toBe(204);
  });
});
