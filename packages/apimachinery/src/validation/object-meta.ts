import { type FieldError, fieldForbidden, fieldInvalid, fieldRequired, withOrigin } from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import { printedAsJson } from '../field/print-value.js';
import { equalJson } from '../json/equal-json.js';
import type { DeepReadonly } from '../types/json.js';
import type { ObjectMeta } from '../types/object-meta.js';
import { validateAnnotations } from './annotations.js';
import { validateFinalizers, validateNoNewFinalizers } from './finalizers.js';
import { validateLabels } from './labels.js';
import { validateManagedFields } from './managed-fields.js';
import { type ValidateName, validateNamespaceName } from './object-name.js';
import { validateOwnerReferences } from './owner-references.js';

/** The sentence about a change to a field that cannot change. */
export const FIELD_IMMUTABLE_MESSAGE = 'field is immutable';

/** What decides which metadata is valid. */
export interface ObjectMetaRules {
  /** Whether objects of the kind live in a namespace. */
  readonly namespaced: boolean;
  /** The rule for the kind's names. */
  readonly validateName: ValidateName;
  /** Where messages place the metadata, usually `metadata`. */
  readonly path: FieldPath;
}

/**
 * Checks the metadata of a new object; its name must have been generated before.
 *
 * Upstream: ValidateObjectMetaAccessor in k8s.io/apimachinery/pkg/api/validation/objectmeta.go
 */
export function validateObjectMeta(meta: DeepReadonly<ObjectMeta>, rules: ObjectMetaRules): FieldError[] {
  const { path } = rules;
  return [
    ...validateNames(meta, rules),
    ...validateNamespace(meta.namespace ?? '', rules),
    ...validateNonnegative(meta.generation ?? 0, path.child('generation')),
    ...validateLabels(meta.labels, path.child('labels')),
    ...validateAnnotations(meta.annotations, path.child('annotations')),
    ...validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences')),
    ...validateFinalizers(meta.finalizers, path.child('finalizers')),
    ...validateManagedFields(meta.managedFields, path.child('managedFields')),
  ];
}

function validateNames(meta: DeepReadonly<ObjectMeta>, { validateName, path }: ObjectMetaRules): FieldError[] {
  const { name = '', generateName = '' } = meta;
  const generateNameFaults = generateName === '' ? [] : validateName(generateName, true);
  return [
    ...generateNameFaults.map((fault) => fieldInvalid(path.child('generateName'), generateName, fault)),
    ...(name === ''
      ? [fieldRequired(path.child('name'), 'name or generateName is required')]
      : validateName(name, false).map((fault) => fieldInvalid(path.child('name'), name, fault))),
  ];
}

function validateNamespace(namespace: string, { namespaced, path }: ObjectMetaRules): FieldError[] {
  const place = path.child('namespace');
  if (!namespaced) return namespace === '' ? [] : [fieldForbidden(place, 'not allowed on this type')];
  if (namespace === '') return [fieldRequired(place, '')];
  return validateNamespaceName(namespace, false).map((fault) => fieldInvalid(place, namespace, fault));
}

/** Checks that a number is not negative. Upstream: k8s.io/apimachinery/pkg/api/validation/generic.go */
export function validateNonnegative(value: number, path: FieldPath): FieldError[] {
  if (value >= 0) return [];
  return [withOrigin(fieldInvalid(path, value, 'must be greater than or equal to 0'), 'minimum')];
}

/** Checks that a value did not change; `badValue` is what the message shows of the new one (default: itself). */
export function validateImmutableField(
  newValue: unknown,
  oldValue: unknown,
  path: FieldPath,
  badValue: unknown = newValue,
): FieldError[] {
  return equalJson(newValue, oldValue) ? [] : [fieldInvalid(path, badValue, FIELD_IMMUTABLE_MESSAGE)];
}

/** The fields that the server sets once. The second part says what absence means. */
const IMMUTABLE_FIELDS = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
] as const;

/**
 * Checks the metadata of an object that replaces another.
 *
 * Upstream: ValidateObjectMetaAccessorUpdate in k8s.io/apimachinery/pkg/api/validation/objectmeta.go
 */
export function validateObjectMetaUpdate(
  newMeta: DeepReadonly<ObjectMeta>,
  oldMeta: DeepReadonly<ObjectMeta>,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateFinalizersUpdate(newMeta, oldMeta, path),
    ...validateVersionUpdate(newMeta, oldMeta, path),
    ...IMMUTABLE_FIELDS.flatMap(([field, absent]) => {
      const value = newMeta[field] ?? absent;
      const shown = field === 'name' || field === 'namespace' ? value : printedAsJson(value);
      return validateImmutableField(value, oldMeta[field] ?? absent, path.child(field), shown);
    }),
    ...validateLabels(newMeta.labels, path.child('labels')),
    ...validateAnnotations(newMeta.annotations, path.child('annotations')),
    ...validateOwnerReferences(newMeta.ownerReferences, path.child('ownerReferences')),
    ...validateManagedFields(newMeta.managedFields, path.child('managedFields')),
  ];
}

function validateFinalizersUpdate(
  newMeta: DeepReadonly<ObjectMeta>,
  oldMeta: DeepReadonly<ObjectMeta>,
  path: FieldPath,
): FieldError[] {
  if (!oldMeta.deletionTimestamp) return [];
  return validateNoNewFinalizers(newMeta.finalizers ?? [], oldMeta.finalizers ?? [], path.child('finalizers'));
}

function validateVersionUpdate(
  newMeta: DeepReadonly<ObjectMeta>,
  oldMeta: DeepReadonly<ObjectMeta>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!newMeta.resourceVersion) {
    errors.push(fieldInvalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  }
  const generation = newMeta.generation ?? 0;
  if (generation < (oldMeta.generation ?? 0)) {
    errors.push(fieldInvalid(path.child('generation'), generation, 'must not be decremented'));
  }
  return errors;
}
