import { type PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from '@apiserver/api/flowcontrol/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validateStatusConditions } from '../conditions.js';
import { restoreMetadata } from '../restore-metadata.js';
import { validatePriorityLevel } from './validation.js';

/** Upstream: pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go */
export const priorityLevelStrategy: Strategy<PriorityLevelConfiguration> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, level) {
    level.status = {};
    level.metadata.generation = 1;
  },
  validate: (_context, level) => validatePriorityLevel(level),
  prepareForUpdate(_context, level, old) {
    countSpecChange(level, old, PriorityLevelConfigurationSpec);
    level.status = cloneJson(old.status);
  },
  validateUpdate: (_context, level) => validatePriorityLevel(level),
};

/** Strategy of the status endpoint. */
export const priorityLevelStatusStrategy: Strategy<PriorityLevelConfiguration> = {
  ...priorityLevelStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate(_context, level, old) {
    restoreMetadata(level, old);
    level.spec = cloneJson(old.spec);
  },
  validateUpdate: (_context, { status }) => validateStatusConditions(status.conditions),
};
