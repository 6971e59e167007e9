import { ReplicaSet } from '@apiserver/api/apps/v1';
import { labelSelectorAsSelector } from '@apiserver/apimachinery/selectors';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource, scaleSubresource } from '@apiserver/resource-kit';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { replicaSetColumns } from './columns.js';
import { applyReplicaSetDefaults } from './defaults.js';
import { replicaSetStatusStrategy, replicaSetStrategy } from './strategy.js';

/** ReplicaSets: a number of pods from a template. Upstream: pkg/registry/apps/replicaset */
export const replicaSetDeclaration = defineResource<ReplicaSet>({
  shortNames: ['rs'],
  categories: ['all'],
  versions: [
    {
      schema: ReplicaSet,
      applyDefaults: applyReplicaSetDefaults,
      normalize: ({ spec }) => normalizePodTemplate(spec.template),
    },
  ],
  strategy: replicaSetStrategy,
  columns: replicaSetColumns,
  subresources: {
    scale: scaleSubresource<ReplicaSet>({
      resource: { group: 'apps', resource: 'replicasets' },
      strategy: replicaSetStrategy,
      selectorText: ({ spec }) => labelSelectorAsSelector(spec.selector).toString(),
    }),
    status: { strategy: replicaSetStatusStrategy },
  },
});

/** The kind for one server. */
export function replicaSets(policy: ContainerPolicy): ResourceDefinition<ReplicaSet> {
  return withContainerPolicy(replicaSetDeclaration, policy);
}
