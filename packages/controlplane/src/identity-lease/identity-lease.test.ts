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
    ...{ whenReady: async () => {}, clock, logger: recorder },
    ...{ id: apiServerID('h'), hostname: 'h', newUid: () => 'u' },
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
