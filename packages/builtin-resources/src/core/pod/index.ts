import { Pod } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { podBinding } from './binding.js';
import { podColumns, podRowConditions } from './columns.js';
import { applyPodDefaults, normalizePod } from './defaults.js';
import { ephemeralContainersStrategy } from './ephemeral-containers.js';
import { podResizeStrategy } from './resize.js';
import { POD_FIELD_LABELS, POD_FIELD_NAMES, podFields } from './selectable-fields.js';
import { podStatusStrategy, podStrategy } from './strategy.js';

/**
 * Pods: containers that run together on a node.
 * Upstream: pkg/registry/core/pod
 */
export const pods = defineResource<Pod>({
  shortNames: ['po'],
  categories: ['all'],
  versions: [{ schema: Pod, applyDefaults: applyPodDefaults, normalize: normalizePod }],
  strategy: podStrategy,
  columns: podColumns,
  rowConditions: podRowConditions,
  subresources: {
    binding: podBinding,
    ephemeralcontainers: { strategy: ephemeralContainersStrategy },
    resize: { strategy: podResizeStrategy },
    status: { strategy: podStatusStrategy },
  },
  selectableFieldNames: POD_FIELD_NAMES,
  selectableFieldLabels: POD_FIELD_LABELS,
  selectableFields: podFields,
  indexedField: 'spec.nodeName',
  returnDeletedObject: true,
});
