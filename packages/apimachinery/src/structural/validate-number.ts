import { printValue } from '../field/print-value.js';
import type { ValueValidation } from '../schema/value-validation.js';
import { brokenRule, type ValueError, withoutField } from './value-error.js';

/**
 * What a number breaks: the range of its format, multipleOf, minimum, maximum.
 *
 * Upstream: numberValidator of k8s.io/kube-openapi/pkg/validation/validate/validator.go
 */
export function validateNumber(rules: ValueValidation, value: number | bigint, path: string): ValueError[] {
  const { multipleOf, minimum, maximum } = rules;
  const errors = outOfRange(rules, value, 'Checked', path);
  if (multipleOf !== undefined) {
    errors.push(...outOfRange(rules, multipleOf, 'MultipleOf', path));
    if (!isMultiple(Number(value), multipleOf)) {
      errors.push(brokenRule(path, value, `should be a multiple of ${printValue(multipleOf)}`));
    }
  }
  if (minimum !== undefined) {
    errors.push(...outOfRange(rules, minimum, 'Minimum boundary', path));
    const bound = printValue(minimum);
    if (rules.exclusiveMinimum === true ? value <= minimum : value < minimum) {
      const rule = rules.exclusiveMinimum === true ? 'should be greater than' : 'should be greater than or equal to';
      errors.push(brokenRule(path, value, `${rule} ${bound}`));
    }
  }
  if (maximum !== undefined) {
    errors.push(...outOfRange(rules, maximum, 'Maximum boundary', path));
    const bound = printValue(maximum);
    if (rules.exclusiveMaximum === true ? value >= maximum : value > maximum) {
      const rule = rules.exclusiveMaximum === true ? 'should be less than' : 'should be less than or equal to';
      errors.push(brokenRule(path, value, `${rule} ${bound}`));
    }
  }
  return errors;
}

const bounds: Readonly<Record<string, readonly [min: bigint, max: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;

/** Upstream: IsValueValidAgainstRange. A type of two names, as int-or-string has it, has no range. */
function outOfRange(rules: ValueValidation, value: number | bigint, what: string, path: string): ValueError[] {
  const { types = [], format } = rules;
  if (types.length !== 1 || types[0] !== 'integer') return [];
  const [min, max] = bounds[format ?? ''] ?? INT64;
  const whole = typeof value === 'bigint' || Number.isInteger(value);
  if (whole && BigInt(value) >= min && BigInt(value) <= max) return [];
  const kind = format === undefined ? 'integer (default format)' : `integer with format ${format}`;
  return [withoutField(`${what} value must be of type ${kind} in ${path}`)];
}

function isMultiple(value: number, factor: number): boolean {
  if (factor <= 0) return false;
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  // Upstream divides, or multiplies by the inverse, and asks whether the result is close to an integer.
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  return isCloseToInteger(quotient);
}

function isCloseToInteger(value: number): boolean {
  const nearest = Math.round(value);
  return Math.abs(value - nearest) <= 1e-9 * Math.max(1, Math.abs(value));
}
