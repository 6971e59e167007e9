import type { DeepReadonly, ObjectMeta } from '@apiserver/apimachinery';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { type ObjectMetaRules, validateObjectMeta, validateObjectMetaUpdate } from '@apiserver/apimachinery/validation';

const METADATA = FieldPath.of('metadata');

/** Finalizers that need no domain. Upstream: IsStandardFinalizerName of pkg/apis/core/helper/helpers.go */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/**
 * Validates the metadata of a built-in kind as that of any kind. In addition, a finalizer without a domain must be a
 * known one.
 * Upstream: ValidateObjectMeta of pkg/apis/core/validation/validation.go
 */
export function validateBuiltInObjectMeta(meta: DeepReadonly<ObjectMeta>, rules: ObjectMetaRules): FieldError[] {
  return [...validateObjectMeta(meta, rules), ...validateKnownFinalizers(meta, rules.path ?? METADATA)];
}

/**
 * Validates an update of a built-in kind's metadata. `path` is that of the metadata in messages.
 * Upstream: ValidateObjectMetaUpdate of pkg/apis/core/validation/validation.go
 */
export function validateBuiltInObjectMetaUpdate(
  meta: DeepReadonly<ObjectMeta>,
  old: DeepReadonly<ObjectMeta>,
  path = METADATA,
): FieldError[] {
  return [...validateObjectMetaUpdate(meta, old, path), ...validateKnownFinalizers(meta, path)];
}

function validateKnownFinalizers({ finalizers = [] }: DeepReadonly<ObjectMeta>, path: FieldPath): FieldError[] {
  return finalizers.flatMap((name, i) => validateFinalizerIsKnown(name, path.child('finalizers').index(i)));
}

/** Upstream: validateKubeFinalizerName */
export function validateFinalizerIsKnown(name: string, path: FieldPath): FieldError[] {
  if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
  return [fieldInvalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}
