import type { ValueValidation } from '../../schema/value-validation.js';
import { isWhole, standsForInteger } from './validate-number.js';
import { wrongType } from './value-error.js';
import type { ValueResult } from './value-result.js';

/**
 * The check of a value's JSON type; undefined if every type is allowed.
 *
 * Upstream: k8s.io/kube-openapi/pkg/validation/validate/type.go
 */
export function typeCheck(
  rules: ValueValidation,
): ((value: unknown, path: string, result: ValueResult) => void) | undefined {
  const { types = [], nullable, format = '' } = rules;
  if (types.length === 0 && format === '') return undefined;
  const expected = types.join(',');
  const names: ReadonlySet<string> = new Set(types);
  const numeric = names.has('integer') || names.has('number');
  const fits = (value: unknown, type: string): boolean => {
    if (names.has(type)) return true;
    if (type === 'integer') return names.has('number');
    return typeof value === 'number' && names.has('integer') && standsForInteger(value);
  };
  return (value, path, result) => {
    if (value === null) {
      if (names.size > 0 && !names.has('null') && nullable !== true) {
        result.errors.push(wrongType(path, expected, 'null'));
      } else result.matches++;
      return;
    }
    result.matches++;
    const type = jsonTypeOf(value);
    const textual = type === 'string' || type === 'array';
    // The format check covers strings and lists whose type has a format.
    const formatted = !numeric && format !== '' && textual;
    if (formatted || fits(value, type)) result.matches++;
    else if (format !== '' && !textual && format !== formatOf(type)) {
      result.errors.push(wrongType(path, format, formatOf(type)));
    } else result.errors.push(wrongType(path, expected, type));
  };
}

/** The format that upstream derives from a decoded value. */
function formatOf(type: string): string {
  if (type === 'integer') return 'int64';
  return type === 'number' ? 'float64' : '';
}

/** The JSON type of a non-null value; a number that is whole is an integer. */
function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint' || typeof value === 'number') return isWhole(value) ? 'integer' : 'number';
  return typeof value;
}
