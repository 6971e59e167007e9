import { printFloat } from '../../field/print-value.js';
import type { ValueValidation } from '../../schema/value-validation.js';
import { brokenRule, brokenRuleOfDouble, unusableFactor, type ValueError, withoutField } from './value-error.js';

/**
 * Errors of a number: the range of its format, multipleOf, minimum, maximum. Integers are compared with the integer
 * part of a bound, unless the bound exceeds the type's range.
 *
 * Upstream: numberValidator of k8s.io/kube-openapi/pkg/validation/validate/validator.go
 */
export function validateNumber(rules: ValueValidation, value: number | bigint, path: string): ValueError[] {
  const { multipleOf, minimum, maximum } = rules;
  return [
    ...outOfRange(rules, value, 'Checked', path),
    ...bounded(multipleOf, 'MultipleOf', (factor, whole) => notMultiple(value, factor, { path, whole })),
    ...bounded(minimum, 'Minimum boundary', (bound, whole) => {
      const exclusive = rules.exclusiveMinimum === true;
      const least = whole ? wholeOf(bound) : bound;
      if (exclusive ? value > least : value >= least) return undefined;
      const rule = exclusive ? 'should be greater than' : 'should be greater than or equal to';
      return broken(path, { value, whole }, `${rule} ${printed(least)}`);
    }),
    ...bounded(maximum, 'Maximum boundary', (bound, whole) => {
      const exclusive = rules.exclusiveMaximum === true;
      const most = whole ? wholeOf(bound) : bound;
      if (exclusive ? value < most : value <= most) return undefined;
      const rule = exclusive ? 'should be less than' : 'should be less than or equal to';
      return broken(path, { value, whole }, `${rule} ${printed(most)}`);
    }),
  ];

  function bounded(
    bound: number | undefined,
    what: string,
    check: (bound: number, whole: boolean) => ValueError | undefined,
  ): ValueError[] {
    if (bound === undefined) return [];
    const unfit = outOfRange(rules, bound, what, path);
    const error = check(bound, unfit.length === 0 && isWhole(value));
    return error === undefined ? unfit : [...unfit, error];
  }
}

/** Reports whether upstream sees a decoded number as an integer. Integers beyond a double's 53 bits are bigint. */
export function isWhole(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

/** Reports whether a double is an integer, or close enough to one. Upstream: IsFloat64AJSONInteger of swag */
export function standsForInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const below = Math.floor(value);
  return value > 1 && (value - below) / (value + below) < 1e-9;
}

/** A violated bound. The value is compared as a double unless the bound is whole, too. */
function broken(path: string, { value, whole }: Compared, rule: string): ValueError {
  return whole ? brokenRule(path, value, rule) : brokenRuleOfDouble(path, Number(value), rule);
}

interface Compared {
  readonly value: number | bigint;
  readonly whole: boolean;
}

/** The integer part of a bound. Beyond 64 bits it is the smallest integer, as a conversion in Go gives it on amd64. */
function wholeOf(bound: number): bigint {
  const whole = BigInt(Math.trunc(bound));
  return BigInt.asIntN(64, whole) === whole ? whole : INT64[0];
}

function printed(bound: number | bigint): string {
  return typeof bound === 'bigint' ? String(bound) : printFloat(bound);
}

function notMultiple(
  value: number | bigint,
  bound: number,
  { path, whole }: { readonly path: string; readonly whole: boolean },
): ValueError | undefined {
  const factor = whole ? wholeOf(bound) : bound;
  if (factor <= 0) return unusableFactor(path, factor);
  const fits = typeof factor === 'bigint' ? BigInt(value) % factor === 0n : isMultiple(Number(value), factor);
  return fits ? undefined : broken(path, { value, whole }, `should be a multiple of ${printed(factor)}`);
}

/** Upstream divides, or multiplies by the inverse. */
function isMultiple(value: number, factor: number): boolean {
  return standsForInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

const INT32 = [-(2n ** 31n), 2n ** 31n - 1n] as const;
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;

/** Upstream: IsValueValidAgainstRange. A type of two names, as int-or-string has it, has no range. */
function outOfRange(rules: ValueValidation, value: number | bigint, what: string, path: string): ValueError[] {
  const { types = [] } = rules;
  const [type = ''] = types;
  if (types.length !== 1 || (type !== 'integer' && type !== 'number')) return [];
  const format = rangeFormat(type, rules.format);
  const fits =
    type === 'integer' ? isInteger(value, format) : format !== 'float' || Number.isFinite(Math.fround(Number(value)));
  if (fits) return [];
  const kind = format === undefined ? `${type} (default format)` : `${type} with format ${format}`;
  return [withoutField(() => `${what} value must be of type ${kind} in ${path}`)];
}

/** The format if it has a range for the type. Others do not limit numbers. */
function rangeFormat(type: 'integer' | 'number', format: string | undefined): string | undefined {
  const [short, long] = type === 'integer' ? ['int32', 'int64'] : ['float', 'double'];
  return format === short || format === long ? format : undefined;
}

function isInteger(value: number | bigint, format: string | undefined): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return false;
  const [min, max] = format === 'int32' ? INT32 : INT64;
  const integer = printedInteger(value);
  return integer >= min && integer <= max;
}

/** The integer that upstream reads back from its printed double: the fewest digits that identify it, then zeros. */
function printedInteger(value: number | bigint): bigint {
  return BigInt(Math.abs(Number(value)) < 1e21 ? String(value) : value);
}
