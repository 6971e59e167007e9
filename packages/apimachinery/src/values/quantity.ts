import { align, compareDecimals, type Decimal, roundUpToScale, signOf, toEngineering } from './decimal.js';
import { parseQuantityText } from './parse-quantity.js';
import { binarySuffix, decimalSuffix, type QuantityFormat } from './quantity-suffix.js';

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const KIBI: Decimal = { unscaled: 1024n, scale: 0 };
const MINUS_KIBI: Decimal = { unscaled: -1024n, scale: 0 };
const ZERO: Decimal = { unscaled: 0n, scale: 0 };

/**
 * An exact amount of a resource: `100m`, `1.5Gi`, `12e6`. Immutable. It remembers how it was written, because it is
 * written back in the same manner.
 *
 * Upstream: k8s.io/apimachinery/pkg/api/resource/quantity.go
 */
export class Quantity {
  readonly format: QuantityFormat;
  readonly #value: Decimal;
  #text: string | undefined;

  private constructor(value: Decimal, format: QuantityFormat, text?: string) {
    this.#value = value;
    this.format = format;
    this.#text = text;
  }

  /** Reads a quantity. Throws a ParseError with upstream's text. Surrounding blanks are the JSON decoder's to trim. */
  static parse(text: string): Quantity {
    const { value, format, verbatim } = parseQuantityText(text);
    return new Quantity(value, format, verbatim);
  }

  /** `value` × 10^`scale`. */
  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI', scale = 0): Quantity {
    return new Quantity({ unscaled: BigInt(value), scale }, format);
  }

  /** Whether the amount is zero. */
  get isZero(): boolean {
    return this.#value.unscaled === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): -1 | 0 | 1 {
    return signOf(this.#value.unscaled);
  }

  /** -1, 0 or 1: less than, equal to or greater than the other amount, however the two are written. */
  compare(other: Quantity): -1 | 0 | 1 {
    return compareDecimals(this.#value, other.#value);
  }

  /** Whether the amounts are equal, however they are written. */
  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** The sum, written as this one unless this one is zero. Throws a RangeError for absurdly different exponents. */
  add(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a + b);
  }

  /** The difference, written as this one unless this one is zero. Throws as `add`. */
  subtract(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a - b);
  }

  /** The amount times an integer. */
  multiply(factor: number | bigint): Quantity {
    const { unscaled, scale } = this.#value;
    return new Quantity({ unscaled: unscaled * BigInt(factor), scale }, this.format);
  }

  /** The amount with the other sign. */
  negate(): Quantity {
    return this.multiply(-1);
  }

  /** The amount at steps of 10^`scale` (-3 for thousandths), rounded away from zero where it is finer. */
  roundUp(scale: number): Quantity {
    if (this.#value.scale >= scale) return this;
    const { unscaled, scale: rounded } = roundUpToScale(this.#value, scale);
    return new Quantity({ unscaled, scale: rounded }, this.format);
  }

  /** The amount as an integer, rounded away from zero, within the bounds of 64 bits. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** The amount in thousandths, as an integer, rounded away from zero, within the bounds of 64 bits. */
  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /** The amount in steps of 10^`scale`, as an integer, rounded away from zero, within the bounds of 64 bits. */
  scaledValue(scale: number): bigint {
    const rounded = roundUpToScale(this.#value, scale);
    if (rounded.unscaled === 0n) return 0n;
    const limit = rounded.unscaled < 0n ? INT64_MIN : INT64_MAX;
    const atScale = { unscaled: rounded.unscaled, scale: rounded.scale - scale };
    const beyond = compareDecimals(atScale, { unscaled: limit, scale: 0 });
    if (beyond === (limit < 0n ? -1 : 1)) return limit;
    return align(atScale, ZERO).a;
  }

  /** The amount as a double; Infinity where it does not fit. */
  toNumber(): number {
    return Number(`${this.#value.unscaled}e${this.#value.scale}`);
  }

  /** As it was read, if that was canonical enough for upstream; else in canonical form. */
  toString(): string {
    this.#text ??= this.#canonicalText();
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }

  #combine(other: Quantity, operation: (a: bigint, b: bigint) => bigint): Quantity {
    const format = this.isZero ? other.format : this.format;
    if (other.isZero) return new Quantity(this.#value, format);
    const value = this.isZero ? { ...ZERO, scale: other.#value.scale } : this.#value;
    const { a, b, scale } = align(value, other.#value);
    return new Quantity({ unscaled: operation(a, b), scale }, format);
  }

  #canonicalText(): string {
    if (this.isZero) return '0';
    if (this.format !== 'BinarySI') return decimalText(this.#value, this.format);
    const small = compareDecimals(this.#value, MINUS_KIBI) > 0 && compareDecimals(this.#value, KIBI) < 0;
    const whole = roundUpToScale(this.#value, 0);
    return small || !whole.exact ? decimalText(this.#value, 'DecimalSI') : binaryText(align(whole, ZERO).a);
  }
}

function decimalText(value: Decimal, format: QuantityFormat): string {
  const { unscaled, scale } = toEngineering(value);
  return `${unscaled}${decimalSuffix(scale, format)}`;
}

function binaryText(value: bigint): string {
  let mantissa = value;
  let exponent = 0;
  while (mantissa % 1024n === 0n) {
    mantissa /= 1024n;
    exponent += 10;
  }
  return `${mantissa}${binarySuffix(exponent)}`;
}

/** The text that a quantity is stored and answered as. Throws a ParseError with upstream's text. */
export function canonicalQuantity(text: string): string {
  return Quantity.parse(text).toString();
}
