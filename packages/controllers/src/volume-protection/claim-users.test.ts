import type { PersistentVolumeClaim, Pod } from '@apiserver/api/core/v1';
import type { ResourceClient } from '@apiserver/apiserver-contracts';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { ClaimUsers } from './claim-users.js';

const claim: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'web-data' },
  spec: { resources: {} },
  status: {},
};
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'u1', controller: true };
const ephemeralClaim = { ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } };
const named = { name: 'data', persistentVolumeClaim: { claimName: 'web-data' } };
const ephemeral = { name: 'data', ephemeral: {} };

function pod(volume: object, nodeName: string, metadata: object = {}) {
  const spec = { containers: [], nodeName, volumes: [{ name: 'other' }, volume] };
  return JSON.parse(JSON.stringify({ metadata: { name: 'web', uid: 'u1', ...metadata }, spec, status: {} }));
}

/** Users by lists of pods, each at version 10. The informer knows other pods. */
function usersOf(lists: Pod[][], clock = new ManualClock(), known: readonly Pod[] = []): ClaimUsers {
  const list = async () => ({ items: (lists.shift() ?? []).map((object) => ({ object })), resourceVersion: '10' });
  const pods = { list } as unknown as ResourceClient<Pod>;
  return new ClaimUsers({ pods, knownPods: { list: () => known }, clock });
}

const forced = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };

it.each([
  ['a scheduled pod that names it', pod(named, 'n'), claim, true],
  ['a scheduled pod that is shut down', pod(named, 'n', forced), claim, true],
  ['a pod without a node', pod(named, ''), claim, false],
  ['a pod with another claim', pod({ ...named, persistentVolumeClaim: { claimName: 'x' } }, 'n'), claim, false],
  ['the pod for whose volume it was made', pod(ephemeral, 'n'), ephemeralClaim, true],
  ['that pod, when it is shut down', pod(ephemeral, 'n', forced), ephemeralClaim, false],
  ['a pod whose volume would have its name', pod(ephemeral, 'n', { uid: 'u2' }), ephemeralClaim, false],
])('%s: %#', async (_, user, used, expected) => {
  expect(await usersOf([[user]]).isUsed(used)).toBe(expected);
});

it('lists no pods for claims that known pods use', async () => {
  const lists: Pod[][] = [[]];
  const users = usersOf(lists, new ManualClock(), [pod(ephemeral, 'n', forced), pod(named, ''), pod(named, 'n')]);
  expect([await users.isUsed(claim), lists.length]).toEqual([true, 1]);
  const other = { ...claim, metadata: { name: 'other' } };
  expect([await users.isUsed(other), lists.length]).toEqual([false, 0]);
});

it('lists the pods once for claims that are deleted together', async () => {
  const lists = [[pod({ ...named, persistentVolumeClaim: { claimName: 'kept' } }, 'n')], []];
  const users = usersOf(lists);
  const deleted = (name: string, resourceVersion: string) =>
    users.isUsed({ ...claim, metadata: { name, namespace: 'ns', resourceVersion } });
  const used = [await deleted('a', '8'), await deleted('b', '10'), await deleted('kept', '9')];
  expect([used, lists.length]).toEqual([[false, false, false], 0]);
});

it('lists the pods again for a claim that is newer than the list, of another namespace, or later', async () => {
  const lists = [[], [pod(named, 'n')], [], [pod(named, 'n')]];
  const clock = new ManualClock();
  const users = usersOf(lists, clock);
  const deleted = (namespace: string, resourceVersion: string) =>
    users.isUsed({ ...claim, metadata: { ...claim.metadata, namespace, resourceVersion } });
  const used = [await deleted('ns', '10'), await deleted('ns', '11'), await deleted('other', '10')];
  clock.advance(1_000);
  expect([...used, await deleted('other', '10')]).toEqual([false, true, false, true]);
});
