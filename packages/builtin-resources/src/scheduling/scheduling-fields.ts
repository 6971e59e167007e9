import type { PodGroupSchedulingPolicy, PodGroupSpec, PodGroupTemplate } from '@apiserver/api/scheduling/v1alpha2';
import { type FieldError, type FieldPath, fieldInvalid, fieldRequired } from '@apiserver/apimachinery/field';
import { dns1123LabelFaults, dns1123SubdomainFaults } from '@apiserver/apimachinery/validation';

/** Fields of features that are off: topology constraints, shared claims, and preemption of whole groups. */
const GATED_FIELDS = [
  'schedulingConstraints',
  'resourceClaims',
  'disruptionMode',
  'priorityClassName',
  'priority',
] as const;

/**
 * Drops the fields of disabled features, unless the old object has them. Mutates.
 * Upstream: dropDisabledPodGroupSpecFields of pkg/registry/scheduling/podgroup/strategy.go
 */
export function dropDisabledFields(
  fields: PodGroupSpec | PodGroupTemplate,
  old: PodGroupSpec | PodGroupTemplate | undefined,
): void {
  for (const name of GATED_FIELDS) {
    if (isUsed(fields[name]) && !isUsed(old?.[name])) delete fields[name];
  }
}

function isUsed(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== '';
}

/** Exactly one policy is set. Upstream: the declared rules of PodGroupSchedulingPolicy */
export function validateSchedulingPolicy({ basic, gang }: PodGroupSchedulingPolicy, path: FieldPath): FieldError[] {
  if (!gang) return basic ? [] : [fieldInvalid(path, '', 'must specify one of: `basic`, `gang`')];
  const count = path.child('gang', 'minCount');
  const errors = basic ? [fieldInvalid(path, '{basic, gang}', 'must specify exactly one of: `basic`, `gang`')] : [];
  if (gang.minCount === 0) errors.push(fieldRequired(count, ''));
  else if (gang.minCount < 1) errors.push(fieldInvalid(count, gang.minCount, 'must be greater than or equal to 1'));
  return errors;
}

/** Validates a required DNS label. */
export function validateShortName(name: string, path: FieldPath): FieldError[] {
  return requiredName(name, path, (text) => dns1123LabelFaults(text, 'bytes'));
}

/** Validates a required DNS subdomain. */
export function validateLongName(name: string, path: FieldPath): FieldError[] {
  return requiredName(name, path, (text) => dns1123SubdomainFaults(text, 'bytes'));
}

function requiredName(name: string, path: FieldPath, faultsOf: (name: string) => string[]): FieldError[] {
  if (name === '') return [fieldRequired(path, '')];
  return faultsOf(name).map((fault) => fieldInvalid(path, name, fault));
}
