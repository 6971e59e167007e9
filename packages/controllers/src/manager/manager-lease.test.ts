import type { Lease } from '@apiserver/api/coordination/v1';
import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { formatMicroTime } from '@apiserver/apimachinery/values';
import type { LoopbackClient } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import type { FollowedClient } from '@apiserver/registry-store';
import { createFakeStorage, ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { ManagerLease } from './manager-lease.js';

const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

it('is held for its duration, even if the clock is set back meanwhile', async () => {
  const clock = new ManualClock();
  const storage = createFakeStorage<Lease>();
  const resource: FollowedClient<Lease> = {
    resource: { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' },
    list: () => storage.list('', everything),
    watch: () => storage.watch('', { ...everything, allowBookmarks: true }),
  };
  const client = { resource: () => resource } as unknown as LoopbackClient;
  await storage.create('kube-system/kube-controller-manager', {
    ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
    metadata: { name: 'kube-controller-manager', namespace: 'kube-system' },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: formatMicroTime(clock.now()) },
  });
  await using lease = new ManagerLease(client, { clock, random: () => 0, logger: silentLogger });
  await lease.synced(new AbortController().signal);
  let isFree = false;
  const waiting = lease.until('free', new AbortController().signal).then(() => {
    isFree = true;
  });
  clock.advance(10_000);
  clock.setBack(3_600_000);
  clock.advance(5_000);
  await eventLoopTurns();
  // The duration has begun again.
  expect([lease.isHeld, isFree]).toEqual([true, false]);
  clock.advance(14_999);
  await eventLoopTurns();
  expect([lease.isHeld, isFree]).toEqual([true, false]);
  clock.advance(1);
  await waiting;
  expect(lease.isHeld).toBe(false);
});
