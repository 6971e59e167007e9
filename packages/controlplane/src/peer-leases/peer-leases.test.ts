import type { Endpoints } from '@apiserver/api/core/v1';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { createTestLogger, throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { createFakeStorage, ManualClock } from '@apiserver/registry-store/testing';
import { describe, expect, it, vi } from 'vitest';
import { fakeClient } from '../testing/fake-client.js';
import { peerEndpointController } from './peer-endpoint-controller.js';
import { type PeerEndpointLeases, storedPeerEndpointLeases } from './peer-endpoint-leases.js';

const endpoint = { hostname: '192.0.2.1', port: 6443 };

describe('leases', () => {
  it('have the address of a server until they are removed, and change with every renewal', async () => {
    const storage = createFakeStorage<Endpoints>();
    const leases = storedPeerEndpointLeases(storage, 15);
    await leases.update('a', { ...endpoint, port: 1 });
    await leases.update('a', endpoint);
    expect((await storage.get('a', {})).object).toMatchObject({
      metadata: { name: 'a', generation: 2, labels: { apiserverIdentity: 'a' } },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
    });
    expect([await leases.endpointOf('a'), await leases.endpointOf('b')]).toEqual([endpoint, undefined]);
    await leases.remove('a');
    await leases.remove('a');
    expect(await leases.endpointOf('a')).toBeUndefined();
  });

  it('pass failures of the storage on', async () => {
    const storage = createFakeStorage<Endpoints>();
    storage.get = () => Promise.reject(new Error('out of reach'));
    await expect(storedPeerEndpointLeases(storage, 15).endpointOf('a')).rejects.toThrow('out of reach');
  });
});

describe('peerEndpointController', () => {
  const context = (signal: AbortSignal) => ({ loopbackClient: fakeClient() satisfies LoopbackClient, signal });

  it('publishes the address when the server is ready, renews it, and takes it away', async () => {
    const clock = new ManualClock(0);
    const leases = storedPeerEndpointLeases(createFakeStorage<Endpoints>(), 15);
    const update = vi.spyOn(leases, 'update');
    const ready = Promise.withResolvers<void>();
    const stop = new AbortController();
    const controller = peerEndpointController({
      id: 'a',
      endpoint: async () => endpoint,
      leases,
      whenReady: () => ready.promise,
      clock,
      logger: throwingLogger,
    });
    await controller.run(context(stop.signal));
    expect(update).not.toHaveBeenCalled();
    ready.resolve();
    await vi.waitFor(async () => expect(await leases.endpointOf('a')).toEqual(endpoint), 30_000);
    await vi.waitFor(() => {
      clock.advance(10_000);
      expect(update).toHaveBeenCalledTimes(2);
    }, 30_000);
    await controller.stop();
    await controller.stop();
    expect(await leases.endpointOf('a')).toBeUndefined();
    stop.abort();
  });

  it('logs failures and goes on', async () => {
    const { logger, lines } = createTestLogger();
    const clock = new ManualClock(0);
    const failing = () => Promise.reject(new Error('no storage'));
    const leases: PeerEndpointLeases = { endpointOf: failing, update: failing, remove: failing };
    const stop = new AbortController();
    const controller = peerEndpointController({
      id: 'a',
      endpoint: async () => endpoint,
      leases,
      whenReady: async () => {},
      clock,
      logger,
    });
    await controller.run(context(stop.signal));
    await vi.waitFor(() => {
      clock.advance(10_000);
      expect(lines.length).toBeGreaterThan(1);
    }, 30_000);
    await controller.stop();
    expect(JSON.stringify(lines.at(-1))).toContain('Unable to remove peer endpoint leases');
    stop.abort();
  });
});
