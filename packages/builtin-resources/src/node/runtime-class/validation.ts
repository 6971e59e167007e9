import { Toleration } from '@apiserver/api/core/v1';
import type { Overhead, RuntimeClass } from '@apiserver/api/node/v1';
import {
  type FieldError,
  FieldPath,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  seenBefore,
} from '@apiserver/apimachinery/field';
import {
  nameIsDNSLabel,
  validateImmutableField,
  validateLabels,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@apiserver/apimachinery/validation';
import { validateContainerResourceName } from '../../core/validation/resource-name.js';
import { validateResourceRequirements } from '../../core/validation/resource-requirements.js';
import { validateTolerations } from '../../core/validation/tolerations.js';
import { goForm } from '../../text/go-form.js';

const HANDLER = FieldPath.of('handler');
const OVERHEAD = FieldPath.of('overhead');
const SCHEDULING = FieldPath.of('scheduling');
const TOLERATIONS = SCHEDULING.child('tolerations');

/** Upstream: ValidateRuntimeClass of pkg/apis/node/validation/validation.go */
export function validateRuntimeClass({
  metadata,
  handler,
  overhead,
  scheduling: { nodeSelector = {}, tolerations = [] } = {},
}: RuntimeClass): readonly FieldError[] {
  return [
    // The rules of any kind: unlike other built-in kinds, a RuntimeClass may have any finalizer.
    ...validateObjectMeta(metadata, { namespaced: false }),
    ...validateHandler(handler),
    ...(overhead === undefined ? [] : validateOverhead(overhead)),
    ...validateLabels(nodeSelector, SCHEDULING.child('nodeSelector')),
    // No feature allows comparisons here, as upstream.
    ...validateTolerations(tolerations, false, TOLERATIONS),
    ...validateDistinct(tolerations),
  ];
}

/** Upstream: ValidateRuntimeClass, which took an empty handler for an invalid one before 1.36 */
function validateHandler(handler: string): FieldError[] {
  if (handler === '') return [fieldRequired(HANDLER, '')];
  return nameIsDNSLabel(handler).map((fault) => fieldInvalid(HANDLER, handler, fault));
}

/** Tolerations are distinct by all fields but their seconds. */
function validateDistinct(tolerations: readonly Toleration[]): FieldError[] {
  const isRepeated = seenBefore<string>();
  return tolerations.flatMap((toleration, i) => {
    const { key = '', operator = '', value = '', effect = '' } = toleration;
    if (!isRepeated(JSON.stringify([key, operator, value, effect]))) return [];
    return [fieldDuplicate(TOLERATIONS.index(i), goForm(Toleration, toleration))];
  });
}

/** Upstream: ValidateRuntimeClass and then ValidateRuntimeClassUpdate */
export function validateRuntimeClassUpdate(runtimeClass: RuntimeClass, old: RuntimeClass): readonly FieldError[] {
  return [
    ...validateRuntimeClass(runtimeClass),
    ...validateObjectMetaUpdate(runtimeClass.metadata, old.metadata),
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
