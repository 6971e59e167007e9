import type { PriorityClass } from '@apiserver/api/scheduling/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { validatePriorityClass, validatePriorityClassUpdate } from './validation.js';

/** Upstream: pkg/registry/scheduling/priorityclass/strategy.go */
export const priorityClassStrategy: Strategy<PriorityClass> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate(_context, { metadata }) {
    metadata.generation = 1;
  },
  validate: (_context, priorityClass) => validatePriorityClass(priorityClass),
  validateUpdate: (_context, priorityClass, old) => validatePriorityClassUpdate(priorityClass, old),
};
