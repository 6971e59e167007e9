import type { APIService } from '@apiserver/api/apiregistration/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it, vi } from 'vitest';
import type { DocumentOptions } from '../proxy/remote-reader-options.js';
import { localApiService } from '../registration/desired-api-service.js';
import { ControlledInformer } from '../testing/controlled-informer.js';
import { RemoteSpecs } from './remote-specs.js';

function remote(group: string, version = 'v1', priority = 5, status = 'True'): APIService {
  const local = localApiService({ group, version }, { group: priority, version: 5 }, 'true');
  const service = { namespace: 'ns', name: 's', port: 443 };
  return { ...local, spec: { ...local.spec, service }, status: { conditions: [{ type: 'Available', status }] } };
}

/** A document with one path of each group. */
const documentOf = (...groups: readonly string[]) =>
  JSON.stringify({ paths: Object.fromEntries(groups.map((group) => [`/apis/${group}/v1/things`, {}])) });

interface Reply {
  readonly status?: number;
  readonly etag?: string;
  readonly body?: string;
}

async function start(reply: (name: string) => Reply) {
  const informer = new ControlledInformer<APIService>();
  const clock = new ManualClock();
  const asked: { readonly name: string; readonly path: string; readonly options: DocumentOptions }[] = [];
  const specs = new RemoteSpecs({
    informer,
    clock,
    logger: silentLogger,
    getDocument: async ({ metadata: { name = '' } }, path, options) => {
      asked.push({ name, path, options });
      return { status: 200, contentType: 'application/json', etag: '', body: '', ...reply(name) };
    },
  });
  let changes = 0;
  specs.onChange(() => changes++);
  const stopping = new AbortController();
  specs.run(stopping.signal);
  return {
    informer,
    asked,
    specs,
    changes: () => changes,
    paths: () => specs.specs().map(({ name, spec }) => [name, ...spec.paths.keys()]),
    after: async (milliseconds: number) => {
      clock.advance(milliseconds);
      await eventLoopTurns();
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

const LOADED = { timeout: 30_000 };

it('has the paths of available servers, asks each minute whether they changed, and forgets deleted ones', async () => {
  let reply: Reply = { body: documentOf('a.example.com', 'b.example.com'), etag: '"1"' };
  using test = await start(() => reply);
  test.informer.put(remote('a.example.com', 'v1', 5, 'False'));
  await test.after(1_000);
  expect([test.asked, test.paths()]).toEqual([[], []]);
  test.informer.put(remote('a.example.com'));
  const read = [['v1.a.example.com', '/apis/a.example.com/v1/things']];
  await vi.waitFor(() => expect(test.paths()).toEqual(read), LOADED);
  const options = { accept: 'application/json', user: { name: 'system:aggregator', groups: [], extra: {} } };
  const first = { name: 'v1.a.example.com', path: '/openapi/v2', options: { ...options, timeoutMilliseconds: 60_000 } };
  expect([test.asked, test.changes()]).toEqual([[first], 1]);

  reply = { status: 304 };
  // The APIService changed after a failure: it is read once more a second later.
  await test.after(1_000);
  expect(test.asked.at(-1)?.options.headers).toEqual({ 'If-None-Match': '"1"' });
  expect([test.asked.length, test.paths(), test.changes()]).toEqual([2, read, 1]);
  for (const broken of [
    { status: 404 },
    { status: 503 },
    { body: '{' },
    { body: 'null' },
    { body: '{"paths":[]}' },
    { body: '{"definitions":{"a":{"type":1}},"paths":{}}' },
  ]) {
    reply = broken;
    const before = test.asked.length;
    await test.after(3_600_000);
    await vi.waitFor(() => expect(test.asked.length).toBeGreaterThan(before), LOADED);
    expect([test.paths(), test.changes()]).toEqual([read, 1]);
  }
  reply = { body: documentOf('a.example.com') };
  test.informer.put(remote('a.example.com'));
  await vi.waitFor(() => expect(test.asked.at(-1)?.options.headers).toEqual({ 'If-None-Match': '"1"' }), LOADED);
  test.informer.remove('v1.a.example.com');
  expect([test.paths(), test.changes()]).toEqual([[], 2]);
});

it('waits twice as long after each failure, for an hour at most', async () => {
  using test = await start(() => ({ status: 404 }));
  test.informer.put(remote('a.example.com'));
  await test.after(1_000);
  const counts: number[] = [];
  for (const minutes of [1, 1, 1, 4, 8, 16, 32, 60, 60]) {
    await test.after(minutes * 60_000);
    counts.push(test.asked.length);
  }
  expect(counts).toEqual([2, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('orders documents by the priority of their groups, then by name', async () => {
  using test = await start(() => ({ body: documentOf('a.example.com', 'b.example.com') }));
  for (const [group, priority] of [
    ['a.example.com', 5],
    ['b.example.com', 9],
    ['c.example.com', 5],
  ] as const) {
    test.informer.put(remote(group, 'v1', priority));
  }
  test.informer.put(remote('a.example.com', 'v0', 7));
  await test.after(1_000);
  const names = () => test.specs.specs().map(({ name }) => name);
  const order = ['v1.b.example.com', 'v0.a.example.com', 'v1.a.example.com', 'v1.c.example.com'];
  await vi.waitFor(() => expect(names()).toEqual(order), LOADED);
  const before = test.changes();
  test.informer.put(remote('c.example.com', 'v1', 99));
  expect([names()[0], test.changes()]).toEqual(['v1.c.example.com', before + 1]);
});
