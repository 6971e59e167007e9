import { ControllerRevision } from '@apiserver/api/apps/v1';
import { defineResource } from '@apiserver/resource-kit';
import { controllerRevisionColumns } from './columns.js';
import { controllerRevisionStrategy } from './strategy.js';

/** ControllerRevisions: past templates of a StatefulSet or DaemonSet. */
export const controllerRevisions = defineResource<ControllerRevision>({
  versions: [{ schema: ControllerRevision }],
  strategy: controllerRevisionStrategy,
  columns: controllerRevisionColumns,
});
