import type { Device, DeviceCapacity, NodeAllocatableResourceMapping } from '@apiserver/api/resource/v1';
import { type FieldError, type FieldPath, fieldInvalid, fieldNotFound } from '@apiserver/apimachinery/field';
import { isNativeResource } from '@apiserver/apimachinery/validation';
import { Quantity } from '@apiserver/apimachinery/values';

/**
 * Validates what a device takes from the resources of its node, which refers to its capacities.
 * Upstream: validateNodeAllocatableResourceMappings of pkg/apis/resource/validation/validation.go
 */
export function validateResourceMappings(device: Device, path: FieldPath): FieldError[] {
  const { nodeAllocatableResourceMappings: mappings = {}, capacity = {} } = device;
  return Object.entries(mappings).flatMap(([name, mapping]) => {
    const at = path.key(name);
    return [
      ...(isNativeResource(name) ? [] : [fieldInvalid(at, name, 'must be a node allocatable resource name')]),
      ...validateMapping(mapping, capacity, at),
    ];
  });
}

function validateMapping(
  { allocationMultiplier, capacityKey }: NodeAllocatableResourceMapping,
  capacity: Readonly<Record<string, DeviceCapacity>>,
  path: FieldPath,
): FieldError[] {
  if (allocationMultiplier === undefined && capacityKey === undefined) {
    return [fieldInvalid(path, '', 'at least one of allocationMultiplier or capacityKey must be set')];
  }
  const keyPath = path.child('capacityKey');
  const errors = allocationMultiplier === undefined ? [] : validateMultiplier(allocationMultiplier, path);
  if (capacityKey === undefined) return errors;
  if (capacityKey === '') return [...errors, fieldInvalid(keyPath, '', 'capacityKey must not be an empty string')];
  return Object.hasOwn(capacity, capacityKey) ? errors : [...errors, fieldNotFound(keyPath, capacityKey)];
}

function validateMultiplier(text: string, path: FieldPath): FieldError[] {
  const multiplier = Quantity.parse(text);
  if (multiplier.sign > 0) return [];
  return [fieldInvalid(path.child('allocationMultiplier'), multiplier.toString(), 'must be positive')];
}
