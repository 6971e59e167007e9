import type { LimitRange } from '@apiserver/api/core/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateLimitRange } from './validation.js';

/** Upstream: pkg/registry/core/limitrange/strategy.go */
export const limitRangeStrategy: Strategy<LimitRange> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  prepareForCreate(_context, { metadata }) {
    // The only kind that may be created without a name or generateName.
    metadata.name ||= crypto.randomUUID();
  },
  validate: (_context, limitRange) => validateLimitRange(limitRange),
  validateUpdate: (_context, limitRange) => validateLimitRange(limitRange),
};
