import type { ReplicationController } from '@apiserver/api/core/v1';
import { type FieldError, FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import { labelSelectorFromSet } from '@apiserver/apimachinery/selectors';
import { validateNonnegative } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateReplicaCounts } from '../../workload/replica-status.js';
import { missingTemplate, validateEndlessTemplate, validateSelected } from '../../workload/template-validation.js';
import type { PodFeatures } from '../pod-spec/pod-features.js';
import { type PodSpecRules, podTemplateRules } from '../pod-spec/pod-spec-rules.js';
import { validatePodTemplateSpec } from '../pod-spec/pod-template.js';
import { validateLongName } from '../validation/dns-fields.js';

const SPEC = FieldPath.of('spec');

/** Upstream: ValidateReplicationController of pkg/apis/core/validation/validation.go */
export function validateReplicationController(
  { metadata, spec }: ReplicationController,
  features: PodFeatures,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true, validateName: validateLongName }),
    ...validateSpec(spec, podTemplateRules(features)),
  ];
}

/** Upstream: ValidateReplicationControllerUpdate */
export function validateReplicationControllerUpdate(
  { metadata, spec }: ReplicationController,
  old: ReplicationController,
  features: PodFeatures,
): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec, podTemplateRules(features, old.spec.template)),
  ];
}

/** Upstream: ValidateReplicationControllerStatusUpdate */
export function validateReplicationControllerStatusUpdate(
  { metadata, status }: ReplicationController,
  old: ReplicationController,
): readonly FieldError[] {
  return [...validateBuiltInObjectMetaUpdate(metadata, old.metadata), ...validateReplicaCounts(status)];
}

function validateSpec(spec: ReplicationController['spec'], rules: PodSpecRules): FieldError[] {
  const { minReadySeconds = 0, replicas, selector = {}, template } = spec;
  const path = SPEC.child('template');
  const isEmpty = Object.keys(selector).length === 0;
  return [
    ...validateNonnegative(minReadySeconds, SPEC.child('minReadySeconds')),
    ...(isEmpty ? [fieldRequired(SPEC.child('selector'), '')] : []),
    ...(replicas === undefined
      ? [fieldRequired(SPEC.child('replicas'), '')]
      : validateNonnegative(replicas, SPEC.child('replicas'))),
    ...(template === undefined
      ? missingTemplate(path)
      : [
          ...validateSelected(template, labelSelectorFromSet(selector), path),
          ...validatePodTemplateSpec(template, rules, path),
          ...validateEndlessTemplate(template, 'ReplicationController', path),
        ]),
  ];
}
