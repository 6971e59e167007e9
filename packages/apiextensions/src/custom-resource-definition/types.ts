import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionVersion,
} from '@apiserver/api/apiextensions/v1';
import { cloneJson } from '@apiserver/apimachinery/json';

/** The versions of a definition; never null. */
export function versionsOf({
  spec,
}: Pick<CustomResourceDefinition, 'spec'>): readonly CustomResourceDefinitionVersion[] {
  return spec.versions ?? [];
}

/** The version in which objects are stored; undefined if the definition is invalid. */
export function storageVersionOf(
  definition: Pick<CustomResourceDefinition, 'spec'>,
): CustomResourceDefinitionVersion | undefined {
  return versionsOf(definition).find(({ storage }) => storage);
}

/** The conditions of definitions that upstream's controllers set. */
export type ConditionType =
  | 'Established'
  | 'NamesAccepted'
  | 'NonStructuralSchema'
  | 'Terminating'
  | 'KubernetesAPIApprovalPolicyConformant';

/** The condition of the given type, if it is set. */
export function findCondition(
  { status }: Pick<CustomResourceDefinition, 'status'>,
  type: ConditionType,
): CustomResourceDefinitionCondition | undefined {
  return (status.conditions ?? []).find((condition) => condition.type === type);
}

/** Reports whether the condition is set and true. */
export function isConditionTrue(definition: Pick<CustomResourceDefinition, 'status'>, type: ConditionType): boolean {
  return findCondition(definition, type)?.status === 'True';
}

/** A condition without its transition time. */
export type NewCondition = Pick<CustomResourceDefinitionCondition, 'status' | 'reason' | 'message'> & {
  readonly type: ConditionType;
};

/** The condition of a definition whose resource is served. */
export const ESTABLISHED: NewCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

/** A definition whose status belongs to the caller; everything else is shared. */
export function withOwnStatus(definition: CustomResourceDefinition): CustomResourceDefinition {
  return { ...definition, status: cloneJson(definition.status) };
}

/**
 * Sets a condition; its transition time changes only with the status. Mutates.
 *
 * Upstream: SetCRDCondition of k8s.io/apiextensions-apiserver/pkg/apihelpers
 */
export function setCondition(definition: CustomResourceDefinition, condition: NewCondition, now: string): void {
  const existing = findCondition(definition, condition.type);
  if (existing === undefined) {
    const { type, status, reason, message } = condition;
    const made = { type, status, lastTransitionTime: now, ...(reason && { reason }), ...(message && { message }) };
    definition.status.conditions = [...(definition.status.conditions ?? []), made];
    return;
  }
  const moved = existing.status !== condition.status || !existing.lastTransitionTime;
  if (moved) existing.lastTransitionTime = now;
  Object.assign(existing, condition);
}

/** Removes a condition. Mutates. */
export function removeCondition(definition: CustomResourceDefinition, type: ConditionType): void {
  definition.status.conditions = (definition.status.conditions ?? []).filter((condition) => condition.type !== type);
}

/** The finalizer that keeps a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';
