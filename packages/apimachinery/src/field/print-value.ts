import { compactJson } from '../text/compact-json.js';
import { quote } from '../text/quote.js';

/** A bad value that the message omits. */
export const OMITTED_VALUE: unique symbol = Symbol.for('@apiserver/apimachinery.omittedValue');

/** A bad value that is printed as JSON even if it is a string; made by `printedAsJson`. */
export interface PrintedAsJson {
  readonly json: unknown;
  readonly [PRINTED_AS_JSON]: true;
}

const PRINTED_AS_JSON: unique symbol = Symbol.for('@apiserver/apimachinery.printedAsJson');

/**
 * Wraps a bad value so that it is printed as JSON. Upstream prints plain strings quoted, but strings of a named type
 * (protocols, policies and other enums) as JSON; the two differ for `<`, `>`, `&` and unprintable characters.
 */
export function printedAsJson(json: unknown): PrintedAsJson {
  return { json, [PRINTED_AS_JSON]: true };
}

/** A bad number that is printed as a double even if it is whole; made by `printedAsDouble`. */
class PrintedAsDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Wraps a whole number that upstream has converted to a double: 1e6 and more have an exponent then. */
export function printedAsDouble(value: number): object {
  return new PrintedAsDouble(value);
}

function isPrintedAsJson(value: unknown): value is PrintedAsJson {
  return typeof value === 'object' && value !== null && PRINTED_AS_JSON in value;
}

/**
 * Prints a bad value for a field error's message. Object keys keep their order: pass structs in field order and maps
 * sorted.
 *
 * Upstream: ErrorBody in k8s.io/apimachinery/pkg/util/validation/field/errors.go
 */
export function printValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return printNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof PrintedAsDouble) return printFloat(value.value);
  return compactJson(isPrintedAsJson(value) ? value.json : value);
}

/**
 * A number of JSON as Go's `%v` prints it. A whole number that a double holds exactly is an integer, one beyond int64
 * is a double.
 */
export function printNumber(value: number | bigint): string {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? String(value) : printFloat(Number(value));
  return Number.isSafeInteger(value) ? String(value) : printFloat(value);
}

/** A double as Go's `%v` prints it: exponent form outside 1e-4 … 1e6, with at least two digits of exponent. */
export function printFloat(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
