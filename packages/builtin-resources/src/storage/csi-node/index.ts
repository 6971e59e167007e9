import { CSINode } from '@apiserver/api/storage/v1';
import { defineResource } from '@apiserver/resource-kit';
import { csiNodeColumns } from './columns.js';
import { csiNodeStrategy } from './strategy.js';

/** CSINodes: the volume drivers of a node. */
export const csiNodes = defineResource<CSINode>({
  versions: [{ schema: CSINode }],
  strategy: csiNodeStrategy,
  columns: csiNodeColumns,
  returnDeletedObject: true,
});
