import { LeaseCandidate as LeaseCandidateV1alpha2 } from '@apiserver/api/coordination/v1alpha2';
import { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import { defineResource } from '@apiserver/resource-kit';
import { sameFields } from '../../same-fields.js';
import { leaseCandidateColumns } from './columns.js';
import { leaseCandidateStrategy } from './strategy.js';

/** LeaseCandidates: programs that may become the holder of a Lease. Both versions have the same fields. */
export const leaseCandidates = defineResource<LeaseCandidate>({
  versions: [
    { schema: LeaseCandidate },
    {
      schema: LeaseCandidateV1alpha2,
      ...sameFields('coordination.k8s.io', 'v1alpha2', 'v1beta1'),
    },
  ],
  strategy: leaseCandidateStrategy,
  columns: leaseCandidateColumns,
});
