import type { Lease } from '@apiserver/api/coordination/v1';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { createTestLogger, throwingLogger as logger } from '@apiserver/apiserver-contracts/testing';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { apiServerID } from './api-server-id.js';
import { identityLeaseController, identityLeaseGarbageCollector } from './identity-lease-controller.js';

/** A server on host `h` with its controllers, on a clock of its own. */
function start(client: LoopbackClient, clock = new ManualClock(Date.UTC(2030, 0, 1))) {
  const stop = new AbortController();
  const common = { whenReady: async () => {}, clock, logger };
  const hooks = [
    identityLeaseController({ ...common, id: apiServerID('h'), hostname: 'h', newUid: () => 'u' }),
    identityLeaseGarbageCollector(common),
  ];
  const run = () => Promise.all(hooks.map((hook) => hook.run({ loopbackClient: client, signal: stop.signal })));
  return { clock, stop, run };
}

it('gives a host the same identity at every start, and different hosts different ones', () => {
  expect(apiServerID('h')).toBe('apiserver-mbmketerpdkgptiwuhszchbwra');
  expect(apiServerID('g')).not.toBe(apiServerID('h'));
});

it('writes the lease and renews it every ten seconds', async () => {
  const client = fakeClient();
  const { clock, stop, run } = start(client);
  await run();
  await eventLoopTurns();
  const leases = client.resource<Lease>({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases' });
  const read = async () => {
    const { metadata, spec } = await leases.get('kube-system', apiServerID('h'));
    return { labels: metadata.labels, spec };
  };
  const expected = {
    labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'h' },
    spec: {
      holderIdentity: `${apiServerID('h')}_u`,
      leaseDurationSeconds: 3600,
      renewTime: '2030-01-01T00:00:00.000000Z',
    },
  };
  expect(await read()).toEqual(expected);
  clock.advance(10_000);
  await eventLoopTurns();
  const renewed = { ...expected, spec: { ...expected.spec, renewTime: '2030-01-01T00:00:10.000000Z' } };
  expect(await read()).toEqual(renewed);
  stop.abort();
  clock.advance(60_000);
  await eventLoopTurns();
  expect(await read()).toEqual(renewed);
});

it('logs failures while it runs, and tries again', async () => {
  const { logger: recorder, lines } = createTestLogger();
  const clock = new ManualClock(Date.UTC(2030, 0, 1));
  const stop = new AbortController();
  let attempts = 0;
  const broken = new Proxy(fakeClient().resource<Lease>({ group: '', version: 'v1', resource: 'leases' }), {
    get: (of, name) =>
      name === 'get'
        ? async () => {
            attempts++;
            if (attempts === 3) stop.abort();
            throw new Error('no storage');
          }
        : Reflect.get(of, name),
  });
  const client: LoopbackClient = { resource: () => broken as never };
  const hook = identityLeaseController({
    whenReady: async () => {},
    clock,
    logger: recorder,
    id: apiServerID('h'),
    hostname: 'h',
    newUid: () => 'u',
  });
  await hook.run({ loopbackClient: client, signal: stop.signal });
  for (let i = 0; i < 3; i++) {
    await eventLoopTurns();
    clock.advance(60_000);
  }
  await eventLoopTurns();
  expect([attempts, lines.map(({ level }) => level)]).toEqual([3, ['error', 'error']]);
});

it('deletes only the leases of dead servers', async () => {
  const client = fakeClient();
  const leases = client.resource<Lease>({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases' });
  const put = (name: string, spec: Lease['spec'], labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }) =>
    leases.create('kube-system', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-system', labels },
      spec,
    });
  await put('living', { leaseDurationSeconds: 3600, renewTime: '2029-12-31T23:30:00.000000Z' });
  await put('gone', { leaseDurationSeconds: 3600, renewTime: '2029-12-31T22:30:00.000000Z' });
  await put('broken', { leaseDurationSeconds: 3600 });
  await put('another', {}, { 'apiserver.kubernetes.io/identity': 'other' });
  const { stop, run } = start(client);
  await run();
  await eventLoopTurns();
  stop.abort();
  const { items } = await leases.list('kube-system');
  expect(items.map(({ object }) => object.metadata.name).sort()).toEqual(['another', apiServerID('h'), 'living']);
});

/** A clock whose timers end at once. It notes their lengths, and calls `end` after some of them. */
function fastClock(count: number, end: () => void) {
  const pauses: number[] = [];
  let now = Date.UTC(2030, 0, 1);
  return {
    pauses,
    now: () => now,
    schedule: (callback: () => void, milliseconds: number) => {
      pauses.push(milliseconds);
      now += milliseconds;
      if (pauses.length === count) end();
      queueMicrotask(callback);
      return () => {};
    },
  };
}

/** Runs a hook until its clock has been used some times; `before` may fail any call of its client. */
async function ran(
  hookOf: (common: Pick<Parameters<typeof identityLeaseController>[0], 'clock' | 'logger' | 'whenReady'>) => {
    run(context: { loopbackClient: LoopbackClient; signal: AbortSignal }): Promise<void>;
  },
  count: number,
  before: (verb: string, call: number) => void,
) {
  const stop = new AbortController();
  const ended = Promise.withResolvers<void>();
  const clock = fastClock(count, () => {
    stop.abort();
    ended.resolve();
  });
  const { logger: recorder, lines } = createTestLogger();
  const real = fakeClient();
  const calls: string[] = [];
  const client: LoopbackClient = {
    resource: (gvr) =>
      new Proxy(real.resource(gvr), {
        get: (of, verb: string) => {
          const method: unknown = Reflect.get(of, verb);
          if (typeof method !== 'function') return method;
          return async (...args: unknown[]) => {
            before(verb, calls.push(verb));
            return method.apply(of, args);
          };
        },
      }) as never,
  };
  const whenReady = () => Promise.reject(new Error('never ready'));
  await hookOf({ clock, logger: recorder, whenReady }).run({ loopbackClient: client, signal: stop.signal });
  await ended.promise;
  return { pauses: clock.pauses, lines, calls };
}

const own = { id: 'me', hostname: 'h', newUid: () => 'u' };

it('retries with backoff up to 7 seconds, and renews after 10 seconds again', async () => {
  const fail = (_verb: string, call: number) => {
    if (call < 8) throw new Error('no storage');
  };
  const { pauses, lines, calls } = await ran((common) => identityLeaseController({ ...common, ...own }), 9, fail);
  expect(pauses).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 7_000, 10_000, 10_000]);
  expect(calls.slice(7)).toEqual(['get', 'create', 'get', 'update']);
  expect(lines.length).toBe(7);
  const message = 'Failed to update the lease of this server';
  expect(lines[0]).toEqual({ level: 'error', message, fields: {}, error: new Error('no storage') });
});

it('collects every hour, and logs failures', async () => {
  const fail = (_verb: string, call: number) => {
    if (call === 2) throw new Error('no storage');
  };
  const { pauses, lines, calls } = await ran(identityLeaseGarbageCollector, 3, fail);
  expect([pauses, calls]).toEqual([
    [3_600_000, 3_600_000, 3_600_000],
    ['list', 'list', 'list'],
  ]);
  const message = 'Error while deleting the leases of servers that are gone';
  expect(lines).toEqual([{ level: 'error', message, fields: {}, error: new Error('no storage') }]);
});

it('names its hooks as upstream', () => {
  const common = { whenReady: async () => {}, clock: new ManualClock(), logger };
  expect([identityLeaseController({ ...common, ...own }).name, identityLeaseGarbageCollector(common).name]).toEqual([
    'start-kube-apiserver-identity-lease-controller',
    'start-kube-apiserver-identity-lease-garbage-collector',
  ]);
});

it('keeps the holder, the duration and the labels of a lease that is there', async () => {
  const client = fakeClient();
  const leases = client.resource<Lease>({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases' });
  await leases.create('kube-system', {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: apiServerID('h'), namespace: 'kube-system', labels: { other: 'x' } },
    spec: { holderIdentity: 'earlier', leaseDurationSeconds: 7, renewTime: '2029-12-31T23:59:59.000000Z' },
  });
  const { stop, run } = start(client);
  await run();
  await eventLoopTurns();
  stop.abort();
  const { metadata, spec } = await leases.get('kube-system', apiServerID('h'));
  expect(metadata.labels).toEqual({
    other: 'x',
    'apiserver.kubernetes.io/identity': 'kube-apiserver',
    'kubernetes.io/hostname': 'h',
  });
  expect(spec).toEqual({
    holderIdentity: 'earlier',
    leaseDurationSeconds: 7,
    renewTime: '2030-01-01T00:00:00.000000Z',
  });
});

it('takes a lease that ends now for alive', async () => {
  const client = fakeClient();
  const leases = client.resource<Lease>({ group: 'coordination.k8s.io', version: 'v1', resource: 'leases' });
  const put = (name: string, spec: Lease['spec']) => {
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    const metadata = { name, namespace: 'kube-system', labels };
    return leases.create('kube-system', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec });
  };
  await put('last', { leaseDurationSeconds: 60, renewTime: '2029-12-31T23:59:00.000000Z' });
  await put('past', { leaseDurationSeconds: 60, renewTime: '2029-12-31T23:58:59.999000Z' });
  await put('endless', { renewTime: '2029-12-31T23:59:00.000000Z' });
  const { stop, run } = start(client);
  await run();
  await eventLoopTurns();
  stop.abort();
  const { items } = await leases.list('kube-system');
  expect(items.map(({ object }) => object.metadata.name).sort()).toEqual([apiServerID('h'), 'last']);
});
