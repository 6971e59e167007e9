import type { Lease } from '@apiserver/api/coordination/v1';
import type { FeatureGates, Strategy } from '@apiserver/apiserver-contracts';
import { validateLease, validateLeaseUpdate } from './validation.js';

/** Fields of coordinated leader election, which is off by default. */
const GATED_FIELDS = ['strategy', 'preferredHolder'] as const;

/**
 * Without CoordinatedLeaderElection, its fields are dropped unless they are stored.
 * Upstream: pkg/registry/coordination/lease/strategy.go
 */
export function leaseStrategy(features: FeatureGates): Strategy<Lease> {
  const dropped = features.enabled('CoordinatedLeaderElection') ? [] : GATED_FIELDS;
  return {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareForCreate(_context, lease) {
      for (const field of dropped) delete lease.spec[field];
    },
    validate: (_context, lease) => validateLease(lease),
    prepareForUpdate(_context, lease, old) {
      for (const field of dropped) {
        if (old.spec[field] === undefined) delete lease.spec[field];
      }
    },
    validateUpdate: (_context, lease, old) => validateLeaseUpdate(lease, old),
  };
}
