import { Buffer } from 'node:buffer';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { conflict, forbidden, internalError, notFound, startControlPlane, tooManyRequests } from '../index.js';
import { transports } from '../testing/plane-senders.js';

const plane = await startControlPlane({ controllers: [] });
afterAll(() => plane.stop());
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

afterEach(() => plane.faults.clear());

describe.each(transports)('over %s', (transport, newSend) => {
  const send = newSend(plane);
  const prefix = transport.toLowerCase().replace(/[^a-z0-9]/g, '');
  const exists = async (name: string) => (await send({ path: `${configMaps}/${name}` })).status === 200;

  it('a response is that of the server for the resource, as often as the rule says', async () => {
    const name = `${prefix}-conflict`;
    await send({ method: 'POST', path: configMaps, body: configMap(name) });
    plane.faults.add({ verb: 'update', resource: 'configmaps', namespace: 'default', times: 2, response: conflict() });
    const put = { method: 'PUT', path: `${configMaps}/${name}`, body: configMap(name) };
    const [first, second, third] = [await send(put), await send(put), await send(put)];
    expect([first.status, second.status, third.status]).toEqual([409, 409, 200]);
    expect(JSON.parse(first.text)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        `Operation cannot be fulfilled on configmaps "${name}": the object has been modified; ` +
        'please apply your changes to the latest version and try again',
      reason: 'Conflict',
      details: { name, kind: 'configmaps' },
      code: 409,
    });
    expect(plane.faults.list()).toMatchObject([{ id: expect.any(String), matched: 2, struck: 2 }]);
  });

  it('a connection is cut before the commit', async () => {
    const name = `${prefix}-before`;
    plane.faults.add({ verb: 'create', cut: 'before commit' });
    await expect(send({ method: 'POST', path: configMaps, body: configMap(name) })).rejects.toThrow();
    const [record] = plane.requests({ verb: 'create' }).slice(-1);
    expect(record).toMatchObject({ response: undefined, faults: [{ effect: 'cut' }] });
    expect(await exists(name)).toBe(false);
  });

  it('a connection is cut after the commit', async () => {
    const name = `${prefix}-after`;
    plane.faults.add({ verb: 'create', cut: 'after commit' });
    await expect(send({ method: 'POST', path: configMaps, body: configMap(name) })).rejects.toThrow();
    expect(await exists(name)).toBe(true);
    const [record] = plane.requests({ verb: 'create', name });
    await expect.poll(() => record?.duration).toBeGreaterThan(0);
    expect(record).toMatchObject({ aborted: true, response: { status: 201 }, faults: [{ effect: 'cut' }] });
  });

  it('a watch ends in order, by a broken connection, or with 410', async () => {
    await send({ method: 'POST', path: configMaps, body: configMap(`${prefix}-watched`) });
    const watch = { path: `${configMaps}?watch=true` };
    const [ended] = [plane.faults.add({ verb: 'watch', watch: { end: 'closed', events: 1 } })];
    expect((await send(watch)).text.trim().split('\n')).toHaveLength(1);
    plane.faults.remove(ended);
    const reset = plane.faults.add({ watch: { end: 'reset', events: 1 } });
    await expect(send(watch)).rejects.toThrow();
    plane.faults.remove(reset);
    plane.faults.add({ watch: { end: 'expired', time: '10ms' } });
    const last = (await send(watch)).text.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  it('old versions are expired', async () => {
    for (const name of ['one', 'two']) {
      await send({ method: 'POST', path: configMaps, body: configMap(`${prefix}-${name}`) });
    }
    const page = JSON.parse((await send({ path: `${configMaps}?limit=1` })).text);
    plane.faults.add({ resource: 'configmaps', expired: true });
    expect((await send({ path: configMaps })).status).toBe(200);
    const next = await send({ path: `${configMaps}?limit=1&continue=${page.metadata.continue}` });
    const status = JSON.parse(next.text);
    expect([next.status, status.reason]).toEqual([410, 'Expired']);
    const rest = await send({ path: `${configMaps}?continue=${status.metadata.continue}` });
    expect(rest.status).toBe(410);
    plane.faults.clear();
    expect((await send({ path: `${configMaps}?continue=${status.metadata.continue}` })).status).toBe(200);
    plane.faults.add({ resource: 'configmaps', expired: true });
    const version = page.metadata.resourceVersion;
    const watched = await send({ path: `${configMaps}?watch=true&resourceVersion=${version}` });
    expect([watched.status, JSON.parse(watched.text)]).toMatchObject([200, { type: 'ERROR', object: { code: 410 } }]);
  });

  it('a delay holds a request until its rule goes', async () => {
    const rule = plane.faults.add({ verb: 'list', resource: 'configmaps', delay: '1h', response: notFound() });
    const response = send({ path: configMaps });
    await expect.poll(() => plane.faults.list()[0]?.struck).toBe(1);
    plane.faults.remove(rule);
    expect((await response).status).toBe(404);
  });
});

const [[, newSend] = []] = transports;
if (newSend === undefined) throw new Error('no transport');
const send = newSend(plane);

it.each([
  [{ response: tooManyRequests({ retryAfter: 3 }) }, 429, 'Too many requests, please try again later.', '3'],
  [{ response: internalError() }, 500, 'Internal error occurred: a fault is injected', undefined],
  [
    { response: forbidden() },
    403,
    'configmaps "a" is forbidden: User "root" cannot get resource "configmaps" in API group "" in the namespace "default"',
    undefined,
  ],
  [{ response: notFound({ message: 'gone' }) }, 404, 'gone', undefined],
] as const)('responds with %j', async (effect, code, message, retryAfter) => {
  plane.faults.add({ verb: 'get', ...effect });
  const { status, headers, text } = await send({ path: `${configMaps}/a` });
  expect([status, headers['retry-after'], JSON.parse(text)]).toMatchObject([code, retryAfter, { message, code }]);
});

it('names the object of a create', async () => {
  plane.faults.add({ verb: 'create', response: { reason: 'AlreadyExists' } });
  const { text } = await send({ method: 'POST', path: configMaps, body: configMap('created') });
  expect(JSON.parse(text)).toMatchObject({ message: 'configmaps "created" already exists' });
});

it('responds with a body that no API server sends', async () => {
  plane.faults.add({ path: '/version', response: { code: 502, body: '<html>', headers: { server: 'nginx' } } });
  expect(await send({ path: '/version' })).toMatchObject({ status: 502, text: '<html>', headers: { server: 'nginx' } });
});

it('takes the first rule that strikes, each with its own counters', async () => {
  plane.faults.add({ id: 'late', verb: 'list', after: 1, times: 1, response: { code: 599 } });
  plane.faults.add({ id: 'twice', resource: 'configmaps', times: 2, response: { code: 598 } });
  plane.faults.add({ id: 'rest', path: '/api/*/configmaps', user: ['alice', 'root'], response: { code: 597 } });
  const seen: number[] = [];
  for (let i = 0; i < 5; i++) seen.push((await send({ path: configMaps })).status);
  expect(seen).toEqual([598, 599, 598, 597, 597]);
  const counters = plane.faults.list().map(({ id, matched, struck }) => [id, matched, struck]);
  expect(counters).toEqual([
    ['late', 2, 1],
    ['twice', 2, 2],
    ['rest', 2, 2],
  ]);
});

it('strikes a reproducible share of the requests', async () => {
  const strikes = async (seed: number) => {
    const { id } = plane.faults.add({ path: '/version', rate: 0.5, seed, response: { code: 599 } });
    const seen: number[] = [];
    for (let i = 0; i < 40; i++) seen.push((await send({ path: '/version' })).status);
    plane.faults.remove(id);
    return seen;
  };
  const [first, again, other] = [await strikes(7), await strikes(7), await strikes(8)];
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(first.filter((status) => status === 599).length).toBeGreaterThan(10);
  expect(first.filter((status) => status === 200).length).toBeGreaterThan(10);
});

it('slows the storage down', async () => {
  const { id } = plane.faults.add({ storage: { delay: '1h', operation: 'write', key: '/registry/configmaps/' } });
  const written = send({ method: 'POST', path: configMaps, body: configMap('slow') });
  await expect.poll(() => plane.faults.list()[0]?.struck).toBe(1);
  expect((await send({ path: `${configMaps}/slow` })).status).toBe(404);
  plane.faults.remove(id);
  expect((await written).status).toBe(201);
  expect(plane.requests({ verb: 'create' }).at(-1)?.faults).toEqual([{ rule: id, effect: 'storage' }]);
});

it('finds no listener at webhooks', async () => {
  const webhook = (name: string) => ({
    name: `${name}.example.com`,
    clientConfig: { service: { namespace: 'system', name: 'webhook', path: `/${name}` } },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  });
  const seen: string[] = [];
  await using validated = await startControlPlane({
    controllers: [],
    webhooks: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'maps' },
      webhooks: [webhook('first'), webhook('second')],
    },
    webhookServer: async (request, response) => {
      seen.push(String(request.url).split('?', 1)[0] ?? '');
      const { request: review } = Object(await json(request));
      const sent = {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: review.uid, allowed: true },
      };
      response.end(JSON.stringify(sent));
    },
  });
  const create = (name: string) =>
    validated.fetch(configMaps, {
      method: 'POST',
      body: JSON.stringify(configMap(name)),
      headers: { 'content-type': 'application/json' },
    });
  const { id } = validated.faults.add({ webhook: { refused: '/sec*' }, times: 1 });
  const { status, message } = Object(await (await create('a')).json());
  const { port } = new URL(validated.webhookServer.url);
  expect([status, message]).toEqual([
    'Failure',
    'Internal error occurred: failed calling webhook "second.example.com": failed to call webhook: ' +
      `Post "https://127.0.0.1:${port}/second?timeout=10s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  ]);
  expect(seen).not.toContain('/second');
  expect((await create('a')).status).toBe(201);
  expect(validated.faults.list()).toMatchObject([{ matched: 1, struck: 1 }]);
  expect(validated.requests({ verb: 'create' }).map(({ faults }) => faults)).toEqual([
    [{ rule: id, effect: 'webhook' }],
    [],
  ]);
});

it('does not strike the plane itself, and a fork begins without rules', async () => {
  plane.faults.add({ response: { code: 599 } });
  await using fork = await plane.fork();
  expect([(await fork.fetch('/version')).status, (await plane.fetch('/version')).status]).toEqual([200, 599]);
});

it.each([
  [{ verb: 'get' }, 'rule: needs an effect: delay, response, cut, watch, expired, bookmarks, webhook, storage'],
  [{ cut: 'before commit', response: conflict() }, 'rule: response and cut exclude each other'],
  [{ cut: 'during commit' }, 'rule.cut: must be "before commit" or "after commit"'],
  [{ verbs: 'get', delay: 1 }, /^rule\.verbs: unknown field \(known: after, bookmarks, /],
  [{ verb: 3, delay: 1 }, 'rule.verb: must be a string or a list of strings'],
  [{ verb: 'lsit', delay: 1 }, /^rule\.verb: "lsit" is no verb \(known: get, list, /],
  [{ delay: 'soon' }, /^rule\.delay: /],
  [{ delay: -1 }, 'rule.delay: -1 is no duration'],
  [{ times: 0, delay: 1 }, 'rule.times: must be an integer from 1 on'],
  [{ rate: 2, delay: 1 }, 'rule.rate: must be a number from 0 to 1'],
  [{ response: { reason: 'Sorry' } }, /^rule\.response\.reason: must be "AlreadyExists" or /],
  [{ response: { reason: 'Conflict', code: 409 } }, /^rule\.response\.code: unknown field/],
  [{ response: { code: 42 } }, 'rule.response.code: must be an integer from 200 on'],
  [{ response: {} }, 'rule.response: needs a reason or a code'],
  [{ watch: { events: 1 } }, 'rule.watch.end: is missing'],
  [{ bookmarks: 'late' }, 'rule.bookmarks: must be "never" or an object'],
  [{ storage: { delay: 1 }, verb: 'get' }, 'rule.verb: has no meaning for storage'],
] as const)('refuses %j', (rule, message) => {
  expect(() => plane.faults.add(JSON.parse(JSON.stringify(rule)))).toThrow(message);
  expect(plane.faults.list()).toEqual([]);
});

it('the bookmarks of a watch come late on the clock of the plane, or not at all', async () => {
  await using held = await startControlPlane({ controllers: [], clock: 'held' });
  const query = 'watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const texts = await Promise.all(
    [undefined, { delay: '90s' }, 'never' as const].map(async (bookmarks, index) => {
      const user = held.user(`watcher-${index}`, { groups: ['system:masters'] });
      if (bookmarks !== undefined) held.faults.add({ user: `watcher-${index}`, bookmarks });
      const { body } = await user.fetch(`${configMaps}?${query}`);
      const events: string[] = [];
      const read = async () => {
        for await (const chunk of body ?? []) events.push(...Buffer.from(chunk).toString().trim().split('\n'));
      };
      return { events, read: read() };
    }),
  );
  const bookmarksOf = (index: number) =>
    (texts[index]?.events ?? []).map((event) => JSON.parse(event)).filter(({ type }) => type === 'BOOKMARK').length;
  await vi.waitFor(() => expect([0, 1, 2].map(bookmarksOf)).toEqual([1, 0, 1]), 30_000);
  await held.clock.advance('1m');
  await vi.waitFor(() => expect(bookmarksOf(0)).toBe(2), 30_000);
  expect(bookmarksOf(1)).toBe(0);
  await held.clock.advance('30s');
  await vi.waitFor(() => expect(bookmarksOf(1)).toBe(1), 30_000);
  for (let minutes = 0; minutes < 3; minutes++) await held.clock.advance('1m');
  await vi.waitFor(() => expect(bookmarksOf(1)).toBeGreaterThan(1), 30_000);
  expect(bookmarksOf(2)).toBe(1);
});

it('refuses an ID that is taken', () => {
  plane.faults.add({ id: 'one', delay: 1 });
  expect(() => plane.faults.add({ id: 'one', delay: 2 })).toThrow('rule.id: one is taken');
});
