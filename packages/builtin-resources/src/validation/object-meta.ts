import {
  type DeepReadonly,
  type FieldError,
  type FieldPath,
  fieldInvalid,
  type ObjectMeta,
  type ObjectMetaRules,
  validateObjectMeta,
} from '@apiserver/apimachinery';

/** Finalizers whose names need no domain. Upstream: IsStandardFinalizerName of pkg/apis/core/helper/helpers.go */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/**
 * The metadata of a built-in kind: as of any kind, and finalizers without a domain are only those that are known.
 * Upstream: ValidateObjectMeta of pkg/apis/core/validation/validation.go
 */
export function validateBuiltInObjectMeta(meta: DeepReadonly<ObjectMeta>, rules: ObjectMetaRules): FieldError[] {
  const errors = validateObjectMeta(meta, rules);
  meta.finalizers?.forEach((name, i) => {
    errors.push(...validateFinalizerIsKnown(name, rules.path.child('finalizers').index(i)));
  });
  return errors;
}

/** Upstream: validateKubeFinalizerName */
export function validateFinalizerIsKnown(name: string, path: FieldPath): FieldError[] {
  if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
  return [fieldInvalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}
