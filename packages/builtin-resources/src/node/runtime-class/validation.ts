import type { Overhead, RuntimeClass } from '@apiserver/api/node/v1';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import {
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  validateImmutableField,
  validateLabels,
} from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateContainerResourceName } from '../../core/validation/resource-name.js';
import { validateResourceRequirements } from '../../core/validation/resource-requirements.js';
import { validateTolerations } from '../../core/validation/tolerations.js';

const METADATA = FieldPath.of('metadata');
const HANDLER = FieldPath.of('handler');
const OVERHEAD = FieldPath.of('overhead');
const SCHEDULING = FieldPath.of('scheduling');

/** Upstream: ValidateRuntimeClass of pkg/apis/node/validation/validation.go */
export function validateRuntimeClass({
  metadata,
  handler,
  overhead,
  scheduling: { nodeSelector = {}, tolerations = [] } = {},
}: RuntimeClass): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: false, validateName: nameIsDNSSubdomain, path: METADATA }),
    ...nameIsDNSLabel(handler, false).map((fault) => fieldInvalid(HANDLER, handler, fault)),
    ...(overhead === undefined ? [] : validateOverhead(overhead)),
    ...validateLabels(nodeSelector, SCHEDULING.child('nodeSelector')),
    ...validateTolerations(tolerations, SCHEDULING.child('tolerations')),
  ];
}

/** Upstream: ValidateRuntimeClass and then ValidateRuntimeClassUpdate */
export function validateRuntimeClassUpdate(runtimeClass: RuntimeClass, old: RuntimeClass): readonly FieldError[] {
  return [
    ...validateRuntimeClass(runtimeClass),
    ...validateBuiltInObjectMetaUpdate(runtimeClass.metadata, old.metadata, METADATA),
    ...validateImmutableField(runtimeClass.handler, old.handler, HANDLER),
  ];
}

/** Validated like the limits of a container. */
function validateOverhead({ podFixed = {} }: Overhead): FieldError[] {
  const rules = {
    validateResourceName: validateContainerResourceName,
    claimNames: new Set<string>(),
    allowIndivisibleHugePages: false,
  };
  return validateResourceRequirements({ limits: podFixed }, rules, OVERHEAD);
}
