/** Digits × 10^`scale`, with a sign. */
interface DecimalText {
  readonly negative: boolean;
  /** Without zeros at either end; empty for zero. */
  readonly digits: string;
  /** 0 for zero. */
  readonly scale: number;
}

/** `value` × 10^`scale`. */
interface DecimalSteps {
  readonly value: bigint;
  readonly scale: number;
}

/**
 * An exact decimal number. Made by `decimalOf` and `decimalOfInteger`.
 *
 * Most quantities are only parsed and printed, which needs their text; sums only need integers. Conversion between text
 * and BigInt takes more than linear time, and a client could send a body full of digits. Therefore each form is
 * computed on first use, and kept.
 */
export class Decimal implements DecimalText {
  #text: DecimalText | undefined;
  #steps: DecimalSteps | undefined;

  constructor(text: DecimalText | undefined, steps?: DecimalSteps) {
    this.#text = text;
    this.#steps = steps;
  }

  get negative(): boolean {
    return this.#asText.negative;
  }

  get digits(): string {
    return this.#asText.digits;
  }

  get scale(): number {
    return this.#asText.scale;
  }

  /** The sign: zero, below or above. */
  get sign(): -1 | 0 | 1 {
    if (this.#steps !== undefined) return signOfInteger(this.#steps.value);
    if (this.digits === '') return 0;
    return this.negative ? -1 : 1;
  }

  /** True for the result of a calculation with many digits whose text is not yet computed. */
  get isTextCostly(): boolean {
    if (this.#text !== undefined || this.#steps === undefined) return false;
    return BigInt.asIntN(64, this.#steps.value) !== this.#steps.value;
  }

  /** A scale at which it is an integer, though maybe not the largest. */
  get stepScale(): number {
    return this.#steps?.scale ?? this.scale;
  }

  /** The number in steps of 10^`scale`; it must be an integer. Throws a RangeError for an absurd number of digits. */
  integerAt(scale: number): bigint {
    if (this.sign === 0) return 0n;
    if (this.#steps === undefined || this.#steps.scale < scale) this.#steps = stepsOf(this.#asText);
    const zeros = this.#steps.scale - scale;
    if (zeros > MAX_ZEROS) {
      throw new RangeError(`quantities with exponents ${this.#steps.scale} and ${scale} are too far apart`);
    }
    if (zeros > 0) this.#steps = { value: this.#steps.value * 10n ** BigInt(zeros), scale };
    return this.#steps.value;
  }

  get #asText(): DecimalText {
    this.#text ??= this.#steps === undefined ? ZERO : textOf(this.#steps);
    return this.#text;
  }
}

const BITS = 64;
const ZERO: DecimalText = { negative: false, digits: '', scale: 0 };

/**
 * Maximum number of zeros that printing may add. `1e999999999` is a valid quantity; adding 1 to it would need a
 * gigabyte of digits.
 */
const MAX_ZEROS = 100_000;

/** The number `text` × 10^`scale`; `text` consists of digits. */
export function decimalOf(negative: boolean, text: string, scale: number): Decimal {
  return new Decimal(trimmed(negative, text, scale));
}

/** The number `value` × 10^`scale`. */
export function decimalOfInteger(value: bigint, scale: number): Decimal {
  return new Decimal(undefined, { value, scale });
}

/** The number times 10^`places`. */
export function shifted({ negative, digits, scale }: Decimal, places: number): Decimal {
  return decimalOf(negative, digits, scale + places);
}

function trimmed(negative: boolean, text: string, scale: number): DecimalText {
  let begin = 0;
  let end = text.length;
  while (begin < end && text.charCodeAt(begin) === 48) begin++;
  while (end > begin && text.charCodeAt(end - 1) === 48) end--;
  if (begin === end) return ZERO;
  return { negative, digits: text.slice(begin, end), scale: scale + text.length - end };
}

function textOf({ value, scale }: DecimalSteps): DecimalText {
  const text = String(value);
  return value < 0n ? trimmed(true, text.slice(1), scale) : trimmed(false, text, scale);
}

function stepsOf({ negative, digits, scale }: DecimalText): DecimalSteps {
  const magnitude = BigInt(digits);
  return { value: negative ? -magnitude : magnitude, scale };
}

function signOfInteger(value: bigint): -1 | 0 | 1 {
  if (value === 0n) return 0;
  return value < 0n ? -1 : 1;
}

/** The scale at which both numbers are integers. */
export function commonScale(a: Decimal, b: Decimal): number {
  if (a.sign === 0) return b.stepScale;
  if (b.sign === 0) return a.stepScale;
  return Math.abs(a.stepScale - b.stepScale) > MAX_ZEROS
    ? Math.min(a.scale, b.scale)
    : Math.min(a.stepScale, b.stepScale);
}

/** -1, 0 or 1. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  if (a.sign !== b.sign) return a.sign < b.sign ? -1 : 1;
  const isNear = Math.abs(a.stepScale - b.stepScale) <= MAX_ZEROS;
  if (!isNear || (!a.isTextCostly && !b.isTextCostly)) return compareTexts(a, b);
  const scale = commonScale(a, b);
  return signOfInteger(a.integerAt(scale) - b.integerAt(scale));
}

/** Compares numbers of one sign. Magnitudes decide first; equal magnitudes compare as text. */
function compareTexts(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const [first, second] = a.negative ? [b, a] : [a, b];
  const magnitude = first.digits.length + first.scale;
  const other = second.digits.length + second.scale;
  if (magnitude !== other) return magnitude < other ? -1 : 1;
  if (first.digits === second.digits) return 0;
  return first.digits < second.digits ? -1 : 1;
}

/** The number in whole steps of 10^`scale`, rounded away from zero. */
export function roundUpToScale(value: Decimal, scale: number): Decimal {
  if (value.scale >= scale || value.digits === '') return value;
  const kept = Math.max(0, value.digits.length - (scale - value.scale));
  // The last digit is cut off and not zero, so rounding is always needed.
  let place = kept - 1;
  while (place >= 0 && value.digits.charCodeAt(place) === 57) place--;
  const digits = place < 0 ? '1' : value.digits.slice(0, place) + (Number(value.digits[place]) + 1);
  return new Decimal({ negative: value.negative, digits, scale: scale + kept - 1 - place });
}

/** The mantissa before a suffix, and its power of ten, which is a multiple of three. */
export function toEngineering({ negative, digits, scale }: Decimal): {
  readonly text: string;
  readonly exponent: number;
} {
  const excess = ((scale % 3) + 3) % 3;
  return { text: `${negative ? '-' : ''}${digits}${'0'.repeat(excess)}`, exponent: scale - excess };
}

/** The lowest 64 bits of an integer. Only its last 64 digits determine them: 10^64 is a multiple of 2^64. */
export function lowestBits({ negative, digits, scale }: Decimal): bigint {
  if (scale >= BITS) return 0n;
  const value = BigInt(digits.slice(-(BITS - scale))) * 10n ** BigInt(scale);
  return BigInt.asIntN(BITS, negative ? -value : value);
}
