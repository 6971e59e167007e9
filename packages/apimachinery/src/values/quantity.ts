import {
  commonScale,
  compareDecimals,
  type Decimal,
  decimalOfInteger,
  lowestBits,
  roundUpToScale,
  shifted,
  toEngineering,
} from './decimal.js';
import { type ParsedQuantity, parseQuantityText } from './parse-quantity.js';
import { binarySuffix, decimalSuffix, type QuantityFormat } from './quantity-suffix.js';

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
/** The powers of ten that upstream multiplies its form of 64 bits by at once. */
const WRAPPING = [1, 2, 3, 6, 9];

/**
 * An exact amount of a resource: `100m`, `1.5Gi`, `12e6`. Immutable. It remembers its notation for printing.
 *
 * Upstream: k8s.io/apimachinery/pkg/api/resource/quantity.go
 */
export class Quantity {
  readonly format: QuantityFormat;
  /**
   * The power of ten of upstream's 64-bit form. Undefined for a quantity that upstream holds in a form of any size, and
   * for results of arithmetic.
   */
  readonly int64Scale: number | undefined;
  readonly #value: Decimal;
  #text: string | undefined;

  private constructor(value: Decimal, format: QuantityFormat, parsed?: ParsedQuantity) {
    this.#value = value;
    this.format = format;
    this.#text = parsed?.verbatim;
    this.int64Scale = parsed?.int64Scale;
  }

  /** Parses a quantity. Throws a ParseError with upstream's text. The JSON decoder trims surrounding blanks. */
  static parse(text: string): Quantity {
    const parsed = parseQuantityText(text);
    return new Quantity(parsed.value, parsed.format, parsed);
  }

  /** `value` × 10^`scale`. */
  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI', scale = 0): Quantity {
    return new Quantity(decimalOfInteger(BigInt(value), scale), format);
  }

  /** True if the amount is zero. */
  get isZero(): boolean {
    return this.#value.sign === 0;
  }

  /** -1, 0 or 1. */
  get sign(): -1 | 0 | 1 {
    return this.#value.sign;
  }

  /** -1, 0 or 1: less than, equal to or greater than the other amount, regardless of notation. */
  compare(other: Quantity): -1 | 0 | 1 {
    return compareDecimals(this.#value, other.#value);
  }

  /** Reports whether the amounts are equal, regardless of notation. */
  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /**
   * The sum, in the notation of this one unless this one is zero. Throws a RangeError for absurdly different exponents.
   */
  add(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a + b);
  }

  /** The difference, in the notation of this one unless this one is zero. Throws as `add`. */
  subtract(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a - b);
  }

  /** The amount times an integer. */
  multiply(factor: number | bigint): Quantity {
    const scale = this.#value.stepScale;
    return new Quantity(decimalOfInteger(this.#value.integerAt(scale) * BigInt(factor), scale), this.format);
  }

  /** The amount with the other sign. */
  negate(): Quantity {
    return this.multiply(-1);
  }

  /** The amount in steps of 10^`scale` (-3 for thousandths), rounded away from zero. */
  roundUp(scale: number): Quantity {
    if (this.#value.scale >= scale) return this;
    return new Quantity(roundUpToScale(this.#value, scale), this.format);
  }

  /** The amount as an integer, rounded away from zero. Beyond 64 bits it is what `scaledValue` makes of it. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** The amount in thousandths, as an integer, rounded away from zero. Beyond 64 bits as `scaledValue`. */
  milliValue(): bigint {
    return this.scaledValue(-3);
  }

  /**
   * The amount in steps of 10^`scale`, as an integer, rounded away from zero. Of one beyond 64 bits, upstream keeps the
   * lowest bits or returns 0.
   */
  scaledValue(scale: number): bigint {
    const rounded = roundUpToScale(this.#value, scale);
    const steps = shifted(rounded, -scale);
    const limit = rounded.negative ? INT64_MIN : INT64_MAX;
    if (compareDecimals(steps, decimalOfInteger(limit, 0)) !== rounded.sign) return steps.integerAt(0);
    if (this.int64Scale === undefined || WRAPPING.includes(this.int64Scale - scale)) return lowestBits(steps);
    return 0n;
  }

  /** The amount in steps of 10^`scale` as a double, not rounded to a step; Infinity if it overflows. */
  toNumber(scale = 0): number {
    if (this.isZero) return 0;
    const { negative, digits, scale: own } = this.#value;
    return Number(`${negative ? '-' : ''}${digits}e${own - scale}`);
  }

  /** The text as it was read, if that was canonical enough for upstream; else the canonical form. */
  toString(): string {
    this.#text ??= this.#canonicalText();
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }

  #combine(other: Quantity, operation: (a: bigint, b: bigint) => bigint): Quantity {
    const format = this.isZero ? other.format : this.format;
    const scale = commonScale(this.#value, other.#value);
    const result = operation(this.#value.integerAt(scale), other.#value.integerAt(scale));
    return new Quantity(decimalOfInteger(result, scale), format);
  }

  #canonicalText(): string {
    if (this.isZero) return '0';
    if (this.format !== 'BinarySI') return decimalText(this.#value, this.format);
    const whole = this.#value.scale >= 0 ? this.#value.integerAt(0) : undefined;
    if (whole === undefined || (whole > -1024n && whole < 1024n)) return decimalText(this.#value, 'DecimalSI');
    return binaryText(whole);
  }
}

function decimalText(value: Decimal, format: QuantityFormat): string {
  const { text, exponent } = toEngineering(value);
  return `${text}${decimalSuffix(exponent, format)}`;
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

/** The text of a quantity in storage and responses. Throws a ParseError with upstream's text. */
export function canonicalQuantity(text: string): string {
  return Quantity.parse(text).toString();
}
