import { type FlowSchema, FlowSchemaSpec } from '@apiserver/api/flowcontrol/v1';
import { cloneJson } from '@apiserver/apimachinery/json';
import type { Strategy } from '@apiserver/apiserver-contracts';
import { countSpecChange } from '@apiserver/resource-kit';
import { validateStatusConditions } from '../conditions.js';
import { restoreMetadata } from '../restore-metadata.js';
import { validateFlowSchema } from './validation.js';

/** Upstream: pkg/registry/flowcontrol/flowschema/strategy.go */
export const flowSchemaStrategy: Strategy<FlowSchema> = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: ['status'],
  prepareForCreate(_context, flowSchema) {
    flowSchema.status = {};
    flowSchema.metadata.generation = 1;
  },
  validate: (_context, flowSchema) => validateFlowSchema(flowSchema),
  prepareForUpdate(_context, flowSchema, old) {
    countSpecChange(flowSchema, old, FlowSchemaSpec);
    flowSchema.status = cloneJson(old.status);
  },
  validateUpdate: (_context, flowSchema) => validateFlowSchema(flowSchema),
};

/** Strategy of the status endpoint. */
export const flowSchemaStatusStrategy: Strategy<FlowSchema> = {
  ...flowSchemaStrategy,
  resetFields: ['metadata', 'spec'],
  prepareForUpdate(_context, flowSchema, old) {
    restoreMetadata(flowSchema, old);
    flowSchema.spec = cloneJson(old.spec);
  },
  validateUpdate: (_context, { status }) => validateStatusConditions(status.conditions),
};
