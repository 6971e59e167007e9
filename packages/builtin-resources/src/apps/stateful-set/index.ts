import { StatefulSet } from '@apiserver/api/apps/v1';
import { labelSelectorAsSelector } from '@apiserver/apimachinery';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { defineResource } from '../../define-resource.js';
import { scaleSubresource } from '../../scale/scale-subresource.js';
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
  subresources: {
    scale: scaleSubresource<StatefulSet>({
      resource: { group: 'apps', resource: 'statefulsets' },
      tellsReadErrors: true,
      strategy: statefulSetStrategy,
      selectorText: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
    }),
    status: { strategy: statefulSetStatusStrategy },
  },
});
