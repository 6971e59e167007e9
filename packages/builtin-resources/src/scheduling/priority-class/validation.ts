import type { PriorityClass } from '@apiserver/api/scheduling/v1';
import { type FieldError, FieldPath, fieldForbidden, printedAsJson } from '@apiserver/apimachinery/field';
import { validateImmutableField } from '@apiserver/apimachinery/validation';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateRequiredEnum } from '../../validation/enum-field.js';
import {
  HIGHEST_USER_DEFINABLE_PRIORITY,
  SYSTEM_PRIORITY_CLASS_PREFIX,
  systemPriorityClassFault,
} from './system-priority-classes.js';

const METADATA = FieldPath.of('metadata');
const VALUE = FieldPath.of('value');
const PREEMPTION_POLICY = FieldPath.of('preemptionPolicy');
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];

/** Upstream: ValidatePriorityClass of pkg/apis/scheduling/validation/validation.go */
export function validatePriorityClass(priorityClass: PriorityClass): readonly FieldError[] {
  return [
    ...validateBuiltInObjectMeta(priorityClass.metadata, { namespaced: false }),
    ...validateRank(priorityClass),
    ...validatePreemptionPolicy(priorityClass.preemptionPolicy),
  ];
}

/** Upstream: ValidatePriorityClassUpdate */
export function validatePriorityClassUpdate(priorityClass: PriorityClass, old: PriorityClass): readonly FieldError[] {
  const { preemptionPolicy = null } = priorityClass;
  return [
    ...validateBuiltInObjectMetaUpdate(priorityClass.metadata, old.metadata),
    ...((priorityClass.value ?? 0) === (old.value ?? 0)
      ? []
      : [fieldForbidden(VALUE, 'may not be changed in an update.')]),
    ...validateImmutableField(
      preemptionPolicy,
      old.preemptionPolicy ?? null,
      PREEMPTION_POLICY,
      printedAsJson(preemptionPolicy),
    ),
  ];
}

function validateRank({ metadata: { name = '' }, value = 0, globalDefault = false }: PriorityClass): FieldError[] {
  if (name.startsWith(SYSTEM_PRIORITY_CLASS_PREFIX)) {
    const fault = systemPriorityClassFault(name, value, globalDefault);
    if (fault === undefined) return [];
    const reserved = `priority class names with '${SYSTEM_PRIORITY_CLASS_PREFIX}' prefix are reserved for system use only`;
    return [fieldForbidden(METADATA.child('name'), `${reserved}. error: ${fault}`)];
  }
  if (value <= HIGHEST_USER_DEFINABLE_PRIORITY) return [];
  const highest = `maximum allowed value of a user defined priority is ${HIGHEST_USER_DEFINABLE_PRIORITY}`;
  return [fieldForbidden(VALUE, highest)];
}

function validatePreemptionPolicy(policy: string | undefined): FieldError[] {
  return policy === undefined ? [] : validateRequiredEnum(policy, PREEMPTION_POLICIES, PREEMPTION_POLICY);
}
