import type { LimitRange } from '@apiserver/api/core/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validateLimitRange } from './validation.js';

/** Upstream: pkg/registry/core/limitrange/strategy.go */
export const limitRangeStrategy: Strategy<LimitRange> = {
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  prepareForCreate(_context, { metadata }) {
    // The one kind that may be created without any name.
    metadata.name ||= crypto.randomUUID();
  },
  validate: (_context, limitRange) => validateLimitRange(limitRange),
  validateUpdate: (_context, limitRange) => validateLimitRange(limitRange),
};
