import { type PodTemplate, PodTemplateSpec } from '@apiserver/api/core/v1';
import { FieldPath } from '@apiserver/apimachinery/field';
import type { Strategy } from '@apiserver/apiserver-contracts';
import {
  countGeneration,
  equalSemantically,
  validateBuiltInObjectMeta,
  validateBuiltInObjectMetaUpdate,
} from '@apiserver/resource-kit';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { podTemplateRules } from '../pod-spec/pod-spec-rules.js';
import { validatePodTemplateSpec } from '../pod-spec/pod-template.js';
import { podTemplateWarnings } from '../pod-spec/warnings/pod-warnings.js';

const TEMPLATE = FieldPath.of('template');

/** Upstream: pkg/registry/core/podtemplate/strategy.go */
export const podTemplateStrategy = (features: PodFeatures): Strategy<PodTemplate> => ({
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate(_context, object) {
    object.metadata.generation = 1;
  },
  validate: (_context, { metadata, template }) => [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validatePodTemplateSpec(template, podTemplateRules(features), TEMPLATE),
  ],
  warningsOnCreate: (_context, { template }) => podTemplateWarnings(template, TEMPLATE),
  prepareForUpdate(_context, object, old) {
    if (!equalSemantically(object.template, old.template, PodTemplateSpec)) countGeneration(object, old);
  },
  validateUpdate: (_context, { metadata, template }, old) => [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validatePodTemplateSpec(template, podTemplateRules(features, old.template), TEMPLATE),
  ],
  warningsOnUpdate: (_context, { metadata, template }, old) =>
    metadata.generation === old.metadata.generation ? [] : podTemplateWarnings(template, TEMPLATE),
});
