import { PriorityLevelConfiguration } from '@apiserver/api/flowcontrol/v1';
import { defineResource } from '@apiserver/resource-kit';
import { priorityLevelColumns } from './columns.js';
import { applyPriorityLevelDefaults } from './defaults.js';
import { priorityLevelStatusStrategy, priorityLevelStrategy } from './strategy.js';

/** PriorityLevelConfigurations: shares of the server, and queues for requests above them. */
export const priorityLevelConfigurations = defineResource<PriorityLevelConfiguration>({
  versions: [{ schema: PriorityLevelConfiguration, applyDefaults: applyPriorityLevelDefaults }],
  strategy: priorityLevelStrategy,
  columns: priorityLevelColumns,
  subresources: { status: { strategy: priorityLevelStatusStrategy } },
});
