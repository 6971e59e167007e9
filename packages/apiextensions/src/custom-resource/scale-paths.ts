import type { CustomResourceSubresourceScale } from '@apiserver/api/apiextensions/v1';
import { type FieldError, FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { formatGoValue, getOwn, goTypeOf } from '@apiserver/apimachinery/json';

type Members = { readonly [key: string]: unknown };

const MAX_INT32 = 2_147_483_647;

/** Splits a simple path into names: `.spec.replicas`. */
export function pathNames(path: string): readonly string[] {
  return path.replace(/^\./, '').split('.');
}

/** The value at a simple path; `fault` explains a path that cannot be resolved or a value of the wrong type. */
export function nestedValue<T>(
  object: Members,
  path: string,
  type: 'int64' | 'string',
): { readonly value: T | undefined; readonly fault?: string } {
  const names = pathNames(path);
  let value: unknown = object;
  for (const [i, name] of names.entries()) {
    if (value === null) return { value: undefined };
    if (typeof value !== 'object' || Array.isArray(value)) {
      return { value: undefined, fault: accessFault(names.slice(0, i + 1), value, 'map[string]interface{}') };
    }
    value = getOwn(value as Members, name);
    if (value === undefined) return { value: undefined };
  }
  if (goTypeOf(value) !== type) return { value: undefined, fault: accessFault(names, value, type) };
  return { value: value as T };
}

/** Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/helpers.go */
function accessFault(names: readonly string[], value: unknown, expected: string): string {
  return `.${names.join('.')} accessor error: ${formatGoValue(value)} is of the type ${goTypeOf(value)}, expected ${expected}`;
}

/** Upstream: ValidateScaleSpec of k8s.io/apiextensions-apiserver/pkg/registry/customresource/validator.go */
export function validateScaleSpec(object: Members, scale: CustomResourceSubresourceScale | undefined): FieldError[] {
  return scale === undefined ? [] : validateReplicas(object, scale.specReplicasPath);
}

/** Upstream: ValidateScaleStatus of …/validator.go */
export function validateScaleStatus(object: Members, scale: CustomResourceSubresourceScale | undefined): FieldError[] {
  if (scale === undefined) return [];
  const { labelSelectorPath } = scale;
  const selector = labelSelectorPath ? nestedValue<string>(object, labelSelectorPath, 'string') : undefined;
  return [
    ...validateReplicas(object, scale.statusReplicasPath),
    ...(selector?.fault === undefined || labelSelectorPath === undefined
      ? []
      : [fieldInvalid(FieldPath.of(labelSelectorPath), '', selector.fault)]),
  ];
}

function validateReplicas(object: Members, path: string): FieldError[] {
  const { value = 0, fault } = nestedValue<number | bigint>(object, path, 'int64');
  const at = FieldPath.of(path);
  if (fault !== undefined) return [fieldInvalid(at, 0, fault)];
  if (value < 0) return [fieldInvalid(at, value, 'should be a non-negative integer')];
  return value > MAX_INT32 ? [fieldInvalid(at, value, `should be less than or equal to ${MAX_INT32}`)] : [];
}
