import { Lease } from '@apiserver/api/coordination/v1';
import type { FeatureGates, ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import { leaseColumns } from './columns.js';
import { leaseStrategy } from './strategy.js';

/** Leases: the holder of a lock, and since when. For leader election and node heartbeats. */
export const leases = (features: FeatureGates): ResourceDefinition<Lease> =>
  defineResource<Lease>({
    versions: [{ schema: Lease }],
    strategy: leaseStrategy(features),
    columns: leaseColumns,
  });
