import { ControllerRevision } from '@apiserver/api/apps/v1';
import { defineResource } from '@apiserver/resource-kit';
import { controllerRevisionColumns } from './columns.js';
import { controllerRevisionStrategy } from './strategy.js';

/** ControllerRevisions: what the template of a StatefulSet or DaemonSet was at a time. */
export const controllerRevisions = defineResource<ControllerRevision>({
  versions: [{ schema: ControllerRevision }],
  strategy: controllerRevisionStrategy,
  columns: controllerRevisionColumns,
});
