import type { KeyValueStore } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { findEtcd, NO_ETCD, startEtcd } from '@apiserver/registry-store/testing';
import { describe, expect, it, vi } from 'vitest';
import type { AdminClient } from '../harness/admin-client.ts';
import { peerServers } from './peer-servers.ts';

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-apiserver-controllers';
/** A server that does not lead asks every two to four seconds. */
const WAITING = { timeout: 60_000, interval: 50 };

/** The server that runs the controllers. */
async function leader(admin: AdminClient): Promise<string> {
  const { body } = await admin.request('GET', LEASE);
  return JSON.parse(body).spec?.holderIdentity.split('_')[0];
}

/** Creates a namespace, and waits until a controller has made its account. */
async function useNamespace(admin: AdminClient, name: string): Promise<void> {
  await admin.request('POST', '/api/v1/namespaces', { metadata: { name } });
  await vi.waitFor(async () => {
    const { status } = await admin.request('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`);
    expect(status).toBe(200);
  }, WAITING);
}

async function hasWorked(admin: AdminClient): Promise<boolean> {
  const { body } = await admin.request('GET', '/metrics');
  return /^workqueue_adds_total\{name="serviceaccount"\} [1-9]/m.test(body);
}

async function takesTurns(store: KeyValueStore | string): Promise<void> {
  await using servers = await peerServers(store);
  const first = await servers.start('first', '--controllers=*');
  try {
    await vi.waitFor(async () => expect(await leader(first.admin)).toBe('first'), WAITING);
    await using second = await servers.start('second', '--controllers=*');
    await useNamespace(first.admin, 'a');
    await vi.waitFor(async () => expect(await hasWorked(first.admin)).toBe(true), WAITING);
    expect([await leader(second.admin), await hasWorked(second.admin)]).toEqual(['first', false]);
    await first[Symbol.asyncDispose]();
    await useNamespace(second.admin, 'b');
    expect([await leader(second.admin), await hasWorked(second.admin)]).toEqual(['second', true]);
  } finally {
    await first[Symbol.asyncDispose]();
  }
}

describe('one server of a store runs the controllers, until it stops', { timeout: 180_000 }, () => {
  it('in memory', () => takesTurns(Object.assign(createMemoryStore(), { freshness: 'unknown' as const })));

  it.skipIf(findEtcd() === undefined)(`on etcd (${NO_ETCD})`, async () => {
    await using etcd = await startEtcd();
    await takesTurns(etcd.url);
  });
});

it('writes no lease where the store belongs to one server', async () => {
  await using servers = await peerServers(createMemoryStore());
  await using only = await servers.start('first', '--controllers=*');
  await useNamespace(only.admin, 'a');
  expect((await only.admin.request('GET', LEASE)).status).toBe(404);
});
