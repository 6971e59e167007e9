import { expect, it } from 'vitest';
import { usesClaim } from './volume-claim-protection.js';

const claim = {
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

const forced = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };

it.each([
  ['a scheduled pod that names it', pod(named, 'n'), claim, true],
  ['a scheduled pod that is shut down', pod(named, 'n', forced), claim, true],
  ['a pod without a node', pod(named, ''), claim, false],
  ['a pod with another claim', pod({ ...named, persistentVolumeClaim: { claimName: 'x' } }, 'n'), claim, false],
  ['the pod for whose volume it was made', pod(ephemeral, 'n'), ephemeralClaim, true],
  ['that pod, when it is shut down', pod(ephemeral, 'n', forced), ephemeralClaim, false],
  ['a pod whose volume would have its name', pod(ephemeral, 'n', { uid: 'u2' }), ephemeralClaim, false],
])('%s: %#', (_, user, used, expected) => {
  expect(usesClaim(user, used)).toBe(expected);
});
