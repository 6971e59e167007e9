import type { ComponentStatus } from '@apiserver/api/core/v1';
import type { Strategy } from '@apiserver/apiserver-contracts';

/** Read-only. */
export const componentStatusStrategy: Strategy<ComponentStatus> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: false,
  validate: () => [],
  validateUpdate: () => [],
};
