import { PodTemplate } from '@apiserver/api/core/v1';
import { defineResource } from '@apiserver/resource-kit';
import { applyPodSpecDefaults, normalizePodTemplate } from '../pod-spec/pod-spec-defaults.js';
import { podTemplateColumns } from './columns.js';
import { podTemplateStrategy } from './strategy.js';

/** PodTemplates: what pods are made from, by itself. */
export const podTemplates = defineResource<PodTemplate>({
  versions: [
    {
      schema: PodTemplate,
      applyDefaults: ({ template }) => applyPodSpecDefaults(template.spec),
      normalize: ({ template }) => normalizePodTemplate(template),
    },
  ],
  strategy: podTemplateStrategy,
  columns: podTemplateColumns,
  returnDeletedObject: true,
});
