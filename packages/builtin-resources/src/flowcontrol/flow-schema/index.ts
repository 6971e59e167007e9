import { FlowSchema } from '@apiserver/api/flowcontrol/v1';
import { compareFlowSchemas } from '@apiserver/flowcontrol';
import { defineResource } from '@apiserver/resource-kit';
import { flowSchemaColumns } from './columns.js';
import { applyFlowSchemaDefaults } from './defaults.js';
import { flowSchemaStatusStrategy, flowSchemaStrategy } from './strategy.js';

/** FlowSchemas: rules that assign requests to flows and to priority levels. */
export const flowSchemas = defineResource<FlowSchema>({
  versions: [{ schema: FlowSchema, applyDefaults: applyFlowSchemaDefaults }],
  strategy: flowSchemaStrategy,
  columns: flowSchemaColumns,
  compareRows: compareFlowSchemas,
  subresources: { status: { strategy: flowSchemaStatusStrategy } },
});
