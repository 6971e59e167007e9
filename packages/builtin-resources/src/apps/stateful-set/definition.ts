import { StatefulSet } from '@apiserver/api/apps/v1';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource, scaleSubresource } from '@apiserver/resource-kit';
import { statefulSetColumns } from './columns.js';
import { applyMaxUnavailableDefault, applyStatefulSetDefaults, normalizeStatefulSet } from './defaults.js';
import { type StatefulSetFeatures, statefulSetStrategies } from './strategy.js';

/** StatefulSets of one server, with or without alpha features. */
export function statefulSetDefinition(features: StatefulSetFeatures): ResourceDefinition<StatefulSet> {
  const { main, status } = statefulSetStrategies(features);
  return defineResource<StatefulSet>({
    shortNames: ['sts'],
    categories: ['all'],
    versions: [
      {
        schema: StatefulSet,
        applyDefaults(set) {
          applyStatefulSetDefaults(set);
          if (features.maxUnavailable) applyMaxUnavailableDefault(set);
        },
        normalize: normalizeStatefulSet,
      },
    ],
    strategy: main,
    columns: statefulSetColumns,
    subresources: {
      scale: scaleSubresource<StatefulSet>({
        resource: { group: 'apps', resource: 'statefulsets' },
        tellsReadErrors: true,
        strategy: main,
        selectorText: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
      }),
      status: { strategy: status },
    },
  });
}
