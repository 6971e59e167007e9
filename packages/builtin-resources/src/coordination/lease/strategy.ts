import type { Lease } from '@apiserver/api/coordination/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateLease, validateLeaseUpdate } from './validation.js';

/** Fields of coordinated leader election, which is off by default. */
const GATED_FIELDS = ['strategy', 'preferredHolder'] as const;

/** Upstream: pkg/registry/coordination/lease/strategy.go */
export const leaseStrategy: Strategy<Lease> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate(_context, lease) {
    for (const field of GATED_FIELDS) delete lease.spec[field];
  },
  validate: (_context, lease) => validateLease(lease),
  prepareForUpdate(_context, lease, old) {
    for (const field of GATED_FIELDS) {
      if (old.spec[field] === undefined) delete lease.spec[field];
    }
  },
  validateUpdate: (_context, lease, old) => validateLeaseUpdate(lease, old),
};
