import { appendAll } from '../field/append-all.js';
import { type FieldError, fieldForbidden, fieldInvalid, fieldRequired, withOrigin } from '../field/field-error.js';
import { FieldPath } from '../field/path.js';
import { printedAsJson } from '../field/print-value.js';
import { equalJson } from '../json/equal-json.js';
import type { DeepReadonly } from '../types/json.js';
import type { ObjectMeta } from '../types/object-meta.js';
import { validateAnnotations } from './annotations.js';
import { validateFinalizers, validateNoNewFinalizers } from './finalizers.js';
import { validateLabels } from './labels.js';
import { validateManagedFields } from './managed-fields.js';
import { nameIsDNSSubdomain, type ValidateName, validateNamespaceName } from './object-name.js';
import { validateOwnerReferences } from './owner-references.js';

/** The message for a change to an immutable field. */
export const FIELD_IMMUTABLE_MESSAGE = 'field is immutable';

const METADATA = FieldPath.of('metadata');

/** Rules for the metadata of a kind. */
export interface ObjectMetaRules {
  /** True if objects of the kind live in a namespace. */
  readonly namespaced: boolean;
  /** The rule for the kind's names. Default: a DNS subdomain. */
  readonly validateName?: ValidateName;
  /** Path of the metadata in messages. Default: `metadata`. */
  readonly path?: FieldPath;
}

/**
 * Checks the metadata of a new object; its name must already be generated.
 *
 * Upstream: ValidateObjectMetaAccessor in k8s.io/apimachinery/pkg/api/validation/objectmeta.go
 */
export function validateObjectMeta(meta: DeepReadonly<ObjectMeta>, rules: ObjectMetaRules): FieldError[] {
  const { namespaced, validateName = nameIsDNSSubdomain, path = METADATA } = rules;
  const { generation, finalizers, managedFields } = meta;
  const errors = validateNames(meta, validateName, path);
  errors.push(...validateNamespace(meta.namespace ?? '', namespaced, path));
  if (generation) errors.push(...validateNonnegative(generation, path.child('generation')));
  pushOfTexts(errors, meta, path);
  if (finalizers !== undefined) appendAll(errors, validateFinalizers(finalizers, path.child('finalizers')));
  if (managedFields !== undefined) appendAll(errors, validateManagedFields(managedFields, path.child('managedFields')));
  return errors;
}

/** Adds errors of labels, annotations and owner references. Most objects lack most of these, and paths have a cost. */
function pushOfTexts(
  errors: FieldError[],
  { labels, annotations, ownerReferences }: DeepReadonly<ObjectMeta>,
  path: FieldPath,
): void {
  if (labels !== undefined) appendAll(errors, validateLabels(labels, path.child('labels')));
  if (annotations !== undefined) appendAll(errors, validateAnnotations(annotations, path.child('annotations')));
  if (ownerReferences !== undefined) {
    appendAll(errors, validateOwnerReferences(ownerReferences, path.child('ownerReferences')));
  }
}

function validateNames(meta: DeepReadonly<ObjectMeta>, validateName: ValidateName, path: FieldPath): FieldError[] {
  const { name = '', generateName = '' } = meta;
  const errors: FieldError[] = [];
  if (generateName !== '') {
    for (const fault of validateName(generateName, true)) {
      errors.push(fieldInvalid(path.child('generateName'), generateName, fault));
    }
  }
  if (name === '') errors.push(fieldRequired(path.child('name'), 'name or generateName is required'));
  else for (const fault of validateName(name)) errors.push(fieldInvalid(path.child('name'), name, fault));
  return errors;
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath): FieldError[] {
  if (!namespaced && namespace === '') return [];
  if (!namespaced) return [fieldForbidden(path.child('namespace'), 'not allowed on this type')];
  if (namespace === '') return [fieldRequired(path.child('namespace'), '')];
  const errors: FieldError[] = [];
  for (const fault of validateNamespaceName(namespace)) {
    errors.push(fieldInvalid(path.child('namespace'), namespace, fault));
  }
  return errors;
}

/** Checks that a number is not negative. Upstream: k8s.io/apimachinery/pkg/api/validation/generic.go */
export function validateNonnegative(value: number | bigint, path: FieldPath): FieldError[] {
  if (value >= 0) return [];
  return [withOrigin(fieldInvalid(path, value, 'must be greater than or equal to 0'), 'minimum')];
}

/** Checks that a value did not change; `badValue` is the new value for the message (default: itself). */
export function validateImmutableField(
  newValue: unknown,
  oldValue: unknown,
  path: FieldPath,
  badValue: unknown = newValue,
): FieldError[] {
  return equalJson(newValue, oldValue) ? [] : [fieldInvalid(path, badValue, FIELD_IMMUTABLE_MESSAGE)];
}

/** The fields that the server sets once. The second element is the meaning of an absent value. */
const IMMUTABLE_FIELDS = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
] as const;

/**
 * Checks the metadata of an object that replaces another. `path` is that of the metadata in messages.
 *
 * Upstream: ValidateObjectMetaAccessorUpdate in k8s.io/apimachinery/pkg/api/validation/objectmeta.go
 */
export function validateObjectMetaUpdate(
  newMeta: DeepReadonly<ObjectMeta>,
  oldMeta: DeepReadonly<ObjectMeta>,
  path = METADATA,
): FieldError[] {
  const { managedFields } = newMeta;
  const errors = validateFinalizersUpdate(newMeta, oldMeta, path);
  errors.push(...validateVersionUpdate(newMeta, oldMeta, path));
  if (!isIdentityKept(newMeta, oldMeta)) appendAll(errors, validateIdentityUpdate(newMeta, oldMeta, path));
  pushOfTexts(errors, newMeta, path);
  if (managedFields !== undefined) appendAll(errors, validateManagedFields(managedFields, path.child('managedFields')));
  return errors;
}

/** Nearly always true, and found without a loop over names: V8 has no fast way for `meta[field]`. */
function isIdentityKept(a: DeepReadonly<ObjectMeta>, b: DeepReadonly<ObjectMeta>): boolean {
  return (
    a.name === b.name &&
    a.namespace === b.namespace &&
    a.uid === b.uid &&
    a.creationTimestamp === b.creationTimestamp &&
    a.deletionTimestamp === b.deletionTimestamp &&
    a.deletionGracePeriodSeconds === b.deletionGracePeriodSeconds
  );
}

function validateIdentityUpdate(
  newMeta: DeepReadonly<ObjectMeta>,
  oldMeta: DeepReadonly<ObjectMeta>,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [field, absent] of IMMUTABLE_FIELDS) {
    const value = newMeta[field] ?? absent;
    const old = oldMeta[field] ?? absent;
    if (value === old) continue;
    const shown = field === 'name' || field === 'namespace' ? value : printedAsJson(value);
    errors.push(...validateImmutableField(value, old, path.child(field), shown));
  }
  return errors;
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
