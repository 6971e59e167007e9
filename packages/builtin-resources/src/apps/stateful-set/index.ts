import { StatefulSet } from '@apiserver/api/apps/v1';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { defineResource } from '../../define-resource.js';
import { statefulSetColumns } from './columns.js';
import { applyStatefulSetDefaults } from './defaults.js';
import { statefulSetStatusStrategy, statefulSetStrategy } from './strategy.js';

/**
 * StatefulSets: pods with a name and volumes of their own each.
 * Upstream: pkg/registry/apps/statefulset
 */
export const statefulSets = defineResource<StatefulSet>({
  shortNames: ['sts'],
  categories: ['all'],
  versions: [
    {
      schema: StatefulSet,
      applyDefaults: applyStatefulSetDefaults,
      normalize: ({ spec }) => normalizePodTemplate(spec.template),
    },
  ],
  strategy: statefulSetStrategy,
  columns: statefulSetColumns,
  subresources: { status: { strategy: statefulSetStatusStrategy } },
});
