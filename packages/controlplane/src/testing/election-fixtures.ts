import type { Lease, LeaseSpec } from '@apiserver/api/coordination/v1';
import type { LeaseCandidate, LeaseCandidateSpec } from '@apiserver/api/coordination/v1beta1';
import { formatMicroTime, formatTime } from '@apiserver/apimachinery/values';

/** The present of the tests. */
export const NOW = Date.UTC(2030, 0, 1);

/** A MicroTime this many seconds after the present. */
export const at = (seconds: number): string => formatMicroTime(NOW + seconds * 1000);

/** A candidate for the lease ns/l, alive at present. */
export function leaseCandidate(name: string, spec: Partial<LeaseCandidateSpec> = {}, created = 0): LeaseCandidate {
  return {
    apiVersion: 'coordination.k8s.io/v1beta1',
    kind: 'LeaseCandidate',
    metadata: { name, namespace: 'ns', creationTimestamp: formatTime(NOW + created * 1000) },
    spec: {
      leaseName: 'l',
      strategy: 'OldestEmulationVersion',
      renewTime: at(0),
      binaryVersion: '1.36.0',
      emulationVersion: '1.36.0',
      ...spec,
    },
  };
}

/** The lease ns/l, held at present. */
export function heldLease(holderIdentity: string, spec: LeaseSpec = {}): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l', namespace: 'ns' },
    spec: { holderIdentity, strategy: 'OldestEmulationVersion', leaseDurationSeconds: 5, renewTime: at(0), ...spec },
  };
}
