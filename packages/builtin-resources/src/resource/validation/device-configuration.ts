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

const MAX_SELECTORS = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_PARAMETERS_BYTES = 10 * 1024;

/** Maximum number of configurations of a class or claim. */
export const MAX_CONFIGURATIONS = 32;

const SELECTOR_RULES: ListRules<DeviceSelector> = { max: MAX_SELECTORS, validate: validateSelector };

/** Upstream: validateSelectorSlice of pkg/apis/resource/validation/validation.go */
export function validateSelectors(selectors: readonly DeviceSelector[] | undefined, path: FieldPath): FieldError[] {
  return validateList(selectors ?? [], SELECTOR_RULES, path);
}

/** Expressions are not compiled: there is no engine for them here. */
function validateSelector({ cel }: DeviceSelector, path: FieldPath): FieldError[] {
  if (cel === undefined) return [fieldRequired(path.child('cel'), '')];
  if (byteLength(cel.expression) <= MAX_EXPRESSION_BYTES) return [];
  return [fieldTooLong(path.child('cel', 'expression'), MAX_EXPRESSION_BYTES)];
}

/** Warnings about expressions that were not compiled. */
export function uncompiledSelectorWarnings(
  selectors: readonly DeviceSelector[] | undefined,
  path: FieldPath,
): string[] {
  return (selectors ?? []).flatMap(({ cel }, i) => {
    if (cel === undefined) return [];
    return [
      `${path.index(i).child('cel', 'expression')}: not compiled by this server, its mistakes show when devices are allocated`,
    ];
  });
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
  if (maxBytes !== undefined && byteLength(JSON.stringify(value)) > maxBytes) return [fieldTooLong(path, maxBytes)];
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [fieldInvalid(path, '<value omitted>', 'must be a valid JSON object')];
}
