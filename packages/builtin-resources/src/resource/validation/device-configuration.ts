import type { DeviceConfiguration, DeviceSelector } from '@apiserver/api/resource/v1';
import type { Json } from '@apiserver/apimachinery';
import {
  type FieldError,
  type FieldPath,
  fieldInvalid,
  fieldRequired,
  fieldTooLong,
} from '@apiserver/apimachinery/field';
import { byteLength } from '@apiserver/apimachinery/validation';
import { type ListRules, validateList } from './bounded-collections.js';
import { validateDriverName } from './device-names.js';
import { type CheckExpression, MAX_SELECTORS, type SelectorList } from './selector-checks.js';

const MAX_PARAMETERS_BYTES = 10 * 1024;

/** Maximum number of configurations of a class or claim. */
export const MAX_CONFIGURATIONS = 32;

/**
 * Validates the selectors of a class or request.
 * Upstream: validateSelectorSlice of pkg/apis/resource/validation/validation.go
 */
export function validateSelectors(selectors: SelectorList, check: CheckExpression, path: FieldPath): FieldError[] {
  const rules: ListRules<DeviceSelector> = {
    max: MAX_SELECTORS,
    validate: ({ cel }, at) =>
      cel === undefined ? [fieldRequired(at.child('cel'), '')] : check(cel.expression, at.child('cel', 'expression')),
  };
  return validateList(selectors ?? [], rules, path);
}

/** Stored parameters may be longer than new ones. Upstream: validateDeviceConfiguration */
export function validateDeviceConfiguration(
  { opaque }: DeviceConfiguration,
  isStored: boolean,
  path: FieldPath,
): FieldError[] {
  const at = path.child('opaque');
  if (opaque === undefined) return [fieldRequired(at, '')];
  const max = isStored ? undefined : MAX_PARAMETERS_BYTES;
  return [
    ...validateDriverName(opaque.driver, at.child('driver')),
    ...validateObjectValue(opaque.parameters, max, at.child('parameters')),
  ];
}

/** Validates a JSON object with unknown contents. Upstream: validateRawExtension */
export function validateObjectValue(
  value: Json | null | undefined,
  maxBytes: number | undefined,
  path: FieldPath,
): FieldError[] {
  if (value === null || value === undefined) return [fieldRequired(path, '')];
  if (maxBytes !== undefined && bytesLeft(value, maxBytes) < 0) return [fieldTooLong(path, maxBytes)];
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [fieldInvalid(path, '<value omitted>', 'must be a valid JSON object')];
}

/** Bytes that remain of `budget` behind the compact JSON of a value; negative if it is longer. Stops at the excess. */
function bytesLeft(value: Json, budget: number): number {
  if (typeof value === 'bigint') return budget - String(value).length;
  if (typeof value !== 'object' || value === null) return budget - byteLength(JSON.stringify(value));
  return Array.isArray(value) ? bytesBehindItems(value, budget) : bytesBehindMembers(value, budget);
}

function bytesBehindItems(items: readonly Json[], budget: number): number {
  let left = budget - 2 - Math.max(0, items.length - 1);
  for (const item of items) {
    if (left < 0) break;
    left = bytesLeft(item, left);
  }
  return left;
}

function bytesBehindMembers(members: { readonly [key: string]: Json }, budget: number): number {
  let left = budget - 2;
  let comma = 0;
  for (const key in members) {
    if (left < 0) break;
    left = bytesLeft(members[key] ?? null, left - comma - byteLength(JSON.stringify(key)) - 1);
    comma = 1;
  }
  return left;
}
