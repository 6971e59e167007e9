import type { CapacityRequestPolicy, CapacityRequestPolicyRange, DeviceCapacity } from '@apiserver/api/resource/v1';
import {
  type FieldError,
  type FieldPath,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
} from '@apiserver/apimachinery/field';
import { Quantity } from '@apiserver/apimachinery/values';
import { validateSet } from '../validation/bounded-collections.js';

const MAX_VALUES = 10;

/**
 * A request policy requires a device that allows multiple allocations.
 * Upstream: validateMultiAllocatableDeviceCapacity, validateSingleAllocatableDeviceCapacity of
 * pkg/apis/resource/validation/validation.go
 */
export function validateDeviceCapacity(
  { value, requestPolicy }: DeviceCapacity,
  allowsSeveral: boolean,
  path: FieldPath,
): FieldError[] {
  const at = path.child('requestPolicy');
  if (requestPolicy === undefined) return [];
  if (!allowsSeveral) return [fieldForbidden(at, 'allowMultipleAllocations must be true')];
  return validatePolicy(requestPolicy, Quantity.parse(value), at);
}

/** Upstream: validateRequestPolicy, validateValidRequestValues */
function validatePolicy(policy: CapacityRequestPolicy, capacity: Quantity, path: FieldPath): FieldError[] {
  const { validValues = [], validRange } = policy;
  const chosen = policy.default ? Quantity.parse(policy.default) : undefined;
  const missing = (field: string) => fieldRequired(path.child('default'), `required when ${field} is defined`);
  if (validValues.length > 0) {
    if (validRange !== undefined) {
      const detail =
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
      return [fieldForbidden(path, detail)];
    }
    if (chosen === undefined) return [missing('validValues')];
    return validateValues(validValues.map(Quantity.parse), { chosen, capacity }, path.child('validValues'));
  }
  if (validRange === undefined) return [];
  if (chosen === undefined) return [missing('validRange')];
  return validateRange(validRange, { chosen, capacity }, path.child('validRange'));
}

/** The default request and the total capacity. */
interface Bounds {
  readonly chosen: Quantity;
  readonly capacity: Quantity;
}

/** Upstream: validateRequestPolicyValidValues */
function validateValues(values: readonly Quantity[], { chosen, capacity }: Bounds, path: FieldPath): FieldError[] {
  const unsorted = values.flatMap((value, i) => {
    const before = values[i - 1];
    if (before === undefined || before.compare(value) <= 0) return [];
    return [fieldInvalid(path.index(i), value.toString(), 'values must be sorted in ascending order')];
  });
  const rules = {
    max: MAX_VALUES,
    validate: (value: Quantity, at: FieldPath) =>
      value.compare(capacity) > 0
        ? [fieldInvalid(at, value.toString(), `option is larger than capacity value: ${capacity}`)]
        : [],
    keyOf: roundedUp,
  };
  const errors = [...unsorted, ...validateSet(values, rules, path)];
  if (values.length <= MAX_VALUES && values.some((value) => value.equals(chosen))) return errors;
  return [
    ...errors,
    fieldInvalid(path, chosen.toString(), 'default value is not valid according to the requestPolicy'),
  ];
}

/** Amounts that round up to the same whole number are duplicates. Upstream: quantityKey */
function roundedUp(value: Quantity): string {
  return String(value.value());
}

/** Upstream: validateRequestPolicyRange */
function validateRange(range: CapacityRequestPolicyRange, bounds: Bounds, path: FieldPath): FieldError[] {
  if (range.min === undefined) return [fieldRequired(path.child('min'), 'required when validRange is defined')];
  const min = Quantity.parse(range.min);
  const max = range.max === undefined ? undefined : Quantity.parse(range.max);
  const { chosen, capacity } = bounds;
  const at = path.child('min');
  return [
    ...fault(min.compare(capacity) > 0, at, min, `min is larger than capacity value: ${capacity}`),
    ...fault(chosen.compare(min) < 0, at, chosen, `default is less than min: ${min}`),
    ...(max === undefined ? [] : validateMax(min, max, bounds, path.child('max'))),
    ...(range.step === undefined
      ? []
      : validateStep({ min, max, step: Quantity.parse(range.step) }, bounds, path.child('step'))),
  ];
}

function validateMax(min: Quantity, max: Quantity, { chosen, capacity }: Bounds, path: FieldPath): FieldError[] {
  return [
    ...fault(min.compare(max) > 0, path, min, `min is larger than max: ${max}`),
    ...fault(max.compare(capacity) > 0, path, max, `max is larger than capacity value: ${capacity}`),
    ...fault(chosen.compare(max) > 0, path, chosen, `default is more than max: ${max}`),
  ];
}

interface Steps {
  readonly min: Quantity;
  readonly max: Quantity | undefined;
  readonly step: Quantity;
}

function validateStep({ min, max, step }: Steps, { chosen, capacity }: Bounds, path: FieldPath): FieldError[] {
  // Upstream divides by it, and panics.
  if (step.value() === 0n) return [fieldInvalid(path, step.toString(), 'must be greater than zero')];
  const first = min.add(step);
  const detail = `value is not a multiple of a given step (${step}) from (${min})`;
  const isOff = (value: Quantity) => (value.value() - min.value()) % step.value() !== 0n;
  return [
    ...fault(first.compare(capacity) > 0, path, step, `one step ${first} is larger than capacity value: ${capacity}`),
    ...fault(isOff(chosen), path, chosen, detail),
    ...(max === undefined ? [] : fault(isOff(max), path, max, detail)),
  ];
}

function fault(isWrong: boolean, path: FieldPath, value: Quantity, detail: string): FieldError[] {
  return isWrong ? [fieldInvalid(path, value.toString(), detail)] : [];
}
