import { systemClock } from '@apiserver/apimachinery/clock';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import type { EtcdStoreOptions } from '@apiserver/registry-store/etcd3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StorageOptions } from '../options/storage-options.js';
import { openOverrides, openStore, type StoreDependencies } from './open-store.js';

const opened: EtcdStoreOptions[] = [];
let disposed: number;
beforeEach(() => {
  opened.length = 0;
  disposed = 0;
  vi.doMock('@apiserver/registry-store/etcd3', () => ({
    openEtcdStore: async (options: EtcdStoreOptions) => {
      opened.push(options);
      if (options.servers.includes('http://down:1')) throw new Error('no response');
      return { [Symbol.asyncDispose]: async () => void disposed++ };
    },
  }));
});
afterEach(() => void vi.doUnmock('@apiserver/registry-store/etcd3'));

const transport = { servers: ['http://main:1'], caFile: 'ca', certFile: 'crt', keyFile: 'key' };
const etcd = { type: 'etcd3', transport } as const;

function setUp(...serversOverrides: readonly string[]) {
  const { logger, lines } = createTestLogger();
  const options = Object.assign(new StorageOptions(), {
    serversOverrides,
    compactionInterval: 7,
    leaseReuseSeconds: 9,
  });
  const disposables = new AsyncDisposableStack();
  const dialEtcd = () => Promise.reject(new Error('not dialled'));
  const dependencies = { clock: systemClock, options, logger, dialEtcd, disposables };
  return { dependencies: dependencies as unknown as StoreDependencies, lines, disposables, dialEtcd };
}

it('opens an etcd with the settings of flags, and logs its faults', async () => {
  const { dependencies, lines, disposables, dialEtcd } = setUp();
  await openStore(etcd, dependencies);
  const [options] = opened;
  expect(options).toMatchObject({
    ...transport,
    dial: dialEtcd,
    clock: systemClock,
    compactionInterval: 7,
    leaseReuseSeconds: 9,
  });
  const failure = new Error('broken');
  options?.compactionFailed?.(failure);
  options?.replaced?.('another cluster');
  const endpoints = transport.servers;
  expect(lines).toEqual([
    { level: 'error', message: 'etcd: compact failed', error: failure, fields: { endpoints } },
    {
      level: 'error',
      error: undefined,
      fields: { endpoints, reason: 'another cluster' },
      message: 'etcd was replaced: caches are filled again, and the server is not ready until it is restarted',
    },
  ]);
  await disposables.disposeAsync();
  expect(disposed).toBe(1);
});

it('opens one store for all overrides with the same servers, in any order', async () => {
  const { dependencies, disposables } = setUp(
    ...['/events#http://a:1;http://b:2', 'apps/deployments#http://b:2;http://a:1', 'batch/jobs#http://a:1'],
  );
  const [events, deployments, jobs, ...more] = await openOverrides(etcd, dependencies);
  expect(more).toEqual([]);
  expect(opened.map(({ servers, caFile }) => [servers, caFile])).toEqual([
    [['http://a:1', 'http://b:2'], 'ca'],
    [['http://a:1'], 'ca'],
  ]);
  expect([events?.resource, deployments?.resource, jobs?.resource]).toEqual(['events', 'deployments', 'jobs']);
  expect([deployments?.store === events?.store, jobs?.store === events?.store]).toEqual([true, false]);
  await disposables.disposeAsync();
  expect(disposed).toBe(2);
});

it('names the override whose servers do not respond', async () => {
  const { dependencies } = setUp('/events#http://down:1;http://a:1');
  await expect(openOverrides(etcd, dependencies)).rejects.toMatchObject({
    name: 'StartupError',
    message: '--etcd-servers-overrides: http://a:1;http://down:1: no response',
  });
});
