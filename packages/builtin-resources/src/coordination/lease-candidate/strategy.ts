import type { LeaseCandidate } from '@apiserver/api/coordination/v1beta1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateLeaseCandidate, validateLeaseCandidateUpdate } from './validation.js';

/** Upstream: pkg/registry/coordination/leasecandidate/strategy.go */
export const leaseCandidateStrategy: Strategy<LeaseCandidate> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: (_context, candidate) => validateLeaseCandidate(candidate),
  validateUpdate: (_context, candidate, old) => validateLeaseCandidateUpdate(candidate, old),
};
