import { PodTemplate } from '@apiserver/api/core/v1';
import type { ResourceDefinition } from '@apiserver/apiserver-contracts';
import { defineResource } from '@apiserver/resource-kit';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { applyPodSpecDefaults, normalizePodTemplate } from '../pod-spec/pod-spec-defaults.js';
import { type ContainerPolicy, withContainerPolicy } from '../pod-spec/security/container-policy.js';
import { podTemplateColumns } from './columns.js';
import { podTemplateStrategy } from './strategy.js';

/** PodTemplates: stand-alone templates of pods. */
const podTemplateDefinition = (features: PodFeatures) =>
  defineResource<PodTemplate>({
    versions: [
      {
        schema: PodTemplate,
        applyDefaults: ({ template }) => applyPodSpecDefaults(template.spec),
        normalize: ({ template }) => normalizePodTemplate(template),
      },
    ],
    strategy: podTemplateStrategy(features),
    columns: podTemplateColumns,
    returnDeletedObject: true,
  });

/** The kind for one server. */
export function podTemplates(policy: ContainerPolicy): ResourceDefinition<PodTemplate> {
  return withContainerPolicy(podTemplateDefinition, policy);
}
