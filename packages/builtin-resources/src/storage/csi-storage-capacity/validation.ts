import type { CSIStorageCapacity } from '@apiserver/api/storage/v1';
import { type FieldError, FieldPath, fieldInvalid, hasFieldErrors } from '@apiserver/apimachinery/field';
import { equalJson } from '@apiserver/apimachinery/json';
import { FIELD_IMMUTABLE_MESSAGE, nameIsDNSSubdomain, validateLabelSelector } from '@apiserver/apimachinery/validation';
import { Quantity } from '@apiserver/apimachinery/values';
import { validateBuiltInObjectMeta, validateBuiltInObjectMetaUpdate } from '@apiserver/resource-kit';
import { validateNamed } from '../../core/validation/named-reference.js';

const NODE_TOPOLOGY = FieldPath.of('nodeTopology');
const STORAGE_CLASS = FieldPath.of('storageClassName');
const CAPACITY = FieldPath.of('capacity');

/** Upstream: ValidateCSIStorageCapacity of pkg/apis/storage/validation/validation.go */
export function validateCSIStorageCapacity(
  { metadata, nodeTopology, storageClassName, capacity }: CSIStorageCapacity,
  old?: CSIStorageCapacity,
): readonly FieldError[] {
  // Of a stored topology with any fault, label values are not judged.
  const hadFault = hasFieldErrors(() => validateLabelSelector(old?.nodeTopology, {}, NODE_TOPOLOGY));
  const options = { allowInvalidLabelValueInSelector: hadFault };
  return [
    ...validateBuiltInObjectMeta(metadata, { namespaced: true }),
    ...validateLabelSelector(nodeTopology, options, NODE_TOPOLOGY),
    ...validateNamed(storageClassName, STORAGE_CLASS, nameIsDNSSubdomain),
    ...(capacity === undefined ? [] : validateNonnegativeAmount(capacity, CAPACITY)),
  ];
}

/** Upstream: ValidateCSIStorageCapacity and then ValidateCSIStorageCapacityUpdate */
export function validateCSIStorageCapacityUpdate(
  capacity: CSIStorageCapacity,
  old: CSIStorageCapacity,
): readonly FieldError[] {
  const { metadata, nodeTopology, storageClassName } = capacity;
  const sameTopology = equalJson(nodeTopology ?? null, old.nodeTopology ?? null);
  return [
    ...validateCSIStorageCapacity(capacity, old),
    ...validateBuiltInObjectMetaUpdate(metadata, old.metadata),
    ...(sameTopology ? [] : [fieldInvalid(NODE_TOPOLOGY, nodeTopology ?? null, FIELD_IMMUTABLE_MESSAGE)]),
    ...(storageClassName === old.storageClassName
      ? []
      : [fieldInvalid(STORAGE_CLASS, storageClassName, FIELD_IMMUTABLE_MESSAGE)]),
  ];
}

/** Upstream: ValidateNonnegativeQuantity of pkg/apis/core/validation/validation.go */
function validateNonnegativeAmount(amount: string, path: FieldPath): FieldError[] {
  const quantity = Quantity.parse(amount);
  if (quantity.sign >= 0) return [];
  return [fieldInvalid(path, quantity.toString(), 'must be greater than or equal to 0')];
}
