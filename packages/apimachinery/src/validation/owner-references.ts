import { type FieldError, fieldInvalid } from '../field/field-error.js';
import type { FieldPath } from '../field/path.js';
import { printedAsJson } from '../field/print-value.js';
import { formatGroupVersionKind, groupVersionKindOf } from '../types/group-version.js';
import type { DeepReadonly } from '../types/json.js';
import type { OwnerReference } from '../types/object-meta.js';

/**
 * Checks owner references, and that at most one of them is the controller. As upstream, all errors are at the list
 * itself, without an index.
 *
 * Upstream: k8s.io/apimachinery/pkg/api/validation/objectmeta.go
 */
export function validateOwnerReferences(
  references: DeepReadonly<OwnerReference[]> | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references ?? []) {
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === undefined) controller = name;
    else errors.push(fieldInvalid(path, references, secondControllerDetail(controller, name)));
  }
  return errors;
}

function secondControllerDetail(first: string, second: string): string {
  const rule = 'Only one reference can have Controller set to true.';
  return `${rule} Found "true" in references for ${first} and ${second}`;
}

function validateOwnerReference(reference: DeepReadonly<OwnerReference>, path: FieldPath): FieldError[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const gvk = groupVersionKindOf({ apiVersion, kind });
  const errors: FieldError[] = [];
  if (gvk.version === '') errors.push(fieldInvalid(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  if (kind === '') errors.push(fieldInvalid(path.child('kind'), kind, 'must not be empty'));
  if (name === '') errors.push(fieldInvalid(path.child('name'), name, 'must not be empty'));
  if (uid === '') errors.push(fieldInvalid(path.child('uid'), printedAsJson(uid), 'must not be empty'));
  if (gvk.group === '' && gvk.version === 'v1' && kind === 'Event') {
    errors.push(fieldInvalid(path, reference, `${formatGroupVersionKind(gvk)} is disallowed from being an owner`));
  }
  return errors;
}
