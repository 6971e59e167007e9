import { DaemonSet } from '@apiserver/api/apps/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { PodFeatures } from '../../core/pod-spec/pod-features.js';
import { normalizePodTemplate } from '../../core/pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../../core/pod-spec/security/container-policy.js';
import { daemonSetColumns } from './columns.js';
import { applyDaemonSetDefaults } from './defaults.js';
import { daemonSetStrategies } from './strategy.js';
import { normalizeTemplateGeneration } from './template-generation.js';

/**
 * DaemonSets: a pod on every node.
 * Upstream: pkg/registry/apps/daemonset
 */
function daemonSetDefinition(features: PodFeatures): ResourceDefinition<DaemonSet> {
  const { main, status } = daemonSetStrategies(features);
  return defineResource<DaemonSet>({
    shortNames: ['ds'],
    categories: ['all'],
    versions: [
      {
        schema: DaemonSet,
        applyDefaults: applyDaemonSetDefaults,
        normalize(set) {
          normalizeTemplateGeneration(set);
          normalizePodTemplate(set.spec.template);
        },
      },
    ],
    strategy: main,
    columns: daemonSetColumns,
    subresources: { status: { strategy: status } },
  });
}

/** The kind for one server. */
export function daemonSets(policy: ContainerPolicy): ResourceDefinition<DaemonSet> {
  return withContainerPolicy(daemonSetDefinition, policy);
}
