import { Quantity } from '@apiserver/apimachinery/values';
import { type CelType, structOf } from '../types/cel-type.js';
import { NO_SUCH_OVERLOAD, noConversion } from '../values/errors.js';
import { type Implementations, implement } from '../values/implementation.js';
import { Double, type Int, intOf, MAX_INT, MIN_INT } from '../values/number.js';
import { EvaluationError, OpaqueValue, type Result, type Value } from '../values/value.js';
import { TRAVERSE_FIRST } from './call-costs.js';
import { orError, parses } from './parse-result.js';
import { parseWork } from './parse-work.js';

const QUANTITY_TYPE = structOf('kubernetes.Quantity');
const NANO = -9;

/** The form in which upstream holds a quantity. Some functions let it show. */
interface Form {
  /** True for the form of 64 bits. */
  readonly isInt64: boolean;
  /** The power of ten of its steps. */
  readonly scale: number;
  /** Maximum number of digits. */
  readonly digits: number;
}

/** An amount of a resource. */
class QuantityValue extends OpaqueValue {
  readonly type: CelType = QUANTITY_TYPE;
  readonly quantity: Quantity;
  readonly form: Form;
  /** Upstream holds results of arithmetic behind a pointer, and they equal no quantity on their left. */
  readonly isComputed: boolean;

  constructor(quantity: Quantity, form: Form, isComputed: boolean) {
    super();
    this.quantity = quantity;
    this.form = form;
    this.isComputed = isComputed;
  }

  override get isPointer(): boolean {
    return this.isComputed;
  }

  override get unwrapError(): EvaluationError {
    return noConversion('*resource.Quantity', this);
  }

  equals(other: Value): boolean | EvaluationError {
    if (!(other instanceof QuantityValue) || other.isComputed) return NO_SUCH_OVERLOAD;
    return this.quantity.equals(other.quantity);
  }

  override toString(): string {
    return this.quantity.toString();
  }
}

/** Parses a quantity. Throws a ParseError with upstream's text. */
function parseQuantity(text: string): QuantityValue {
  const quantity = Quantity.parse(text);
  return new QuantityValue(quantity, parsedForm(quantity, text.length), false);
}

const LARGEST_BINARY = Quantity.of(MAX_INT, 'BinarySI');

/** Upstream rounds large numbers to steps of 1e-9. A binary quantity that it caps has steps of 1. */
function parsedForm(quantity: Quantity, digits: number): Form {
  const { int64Scale, format } = quantity;
  if (int64Scale !== undefined) return { isInt64: true, scale: int64Scale, digits };
  const magnitude = quantity.sign < 0 ? quantity.negate() : quantity;
  return { isInt64: false, scale: format === 'BinarySI' && magnitude.equals(LARGEST_BINARY) ? 0 : NANO, digits };
}

function quantityOf(value: Int): QuantityValue {
  return new QuantityValue(Quantity.of(value, 'DecimalExponent'), { isInt64: true, scale: 0, digits: 19 }, true);
}

/**
 * Maximum number of digits of terms and sums. Upstream has no bound, and takes seconds for the sum of `1e99999999` and
 * 1. A sum costs 1 whatever it takes.
 */
const MAX_DIGITS = 1_000;
const SUM_WORK = 200;

function sum(a: QuantityValue, b: QuantityValue, sign: 1 | -1): Result {
  const digits = sumDigits(a, b);
  if (digits > MAX_DIGITS) return new EvaluationError(`a sum of quantities with ${digits} digits is too long`);
  const result = sign === 1 ? a.quantity.add(b.quantity) : a.quantity.subtract(b.quantity);
  return new QuantityValue(result, { ...sumForm(a, b, result), digits }, true);
}

/** Upstream negates the smallest integer of 64 bits, which stays negative, as long as the sum fits 64 bits. */
function subtract(a: QuantityValue, b: QuantityValue): Result {
  if (!a.form.isInt64 || !isSmallest(b)) return sum(a, b, -1);
  const wrapped = sum(a, b, 1);
  if (wrapped instanceof QuantityValue && wrapped.form.isInt64) return wrapped;
  const exact = sum(a, b, -1);
  if (!(exact instanceof QuantityValue)) return exact;
  return new QuantityValue(exact.quantity, { ...exact.form, isInt64: false }, true);
}

function isSmallest({ quantity, form: { isInt64, scale } }: QuantityValue): boolean {
  if (!isInt64 || quantity.toNumber(scale) > -(2 ** 63)) return false;
  return quantity.equals(Quantity.of(MIN_INT, 'DecimalSI', scale));
}

function sumDigits(a: QuantityValue, b: QuantityValue): number {
  if (a.quantity.isZero) return b.form.digits;
  if (b.quantity.isZero) return a.form.digits;
  return Math.max(a.form.digits, b.form.digits) + Math.abs(a.form.scale - b.form.scale) + 1;
}

/** Upstream keeps to 64 bits as long as the sum, and the term with the larger steps, fit the smaller steps. */
function sumForm(a: QuantityValue, b: QuantityValue, result: Quantity): Omit<Form, 'digits'> {
  const scale = Math.min(a.form.scale, b.form.scale);
  if (!a.form.isInt64 || !b.form.isInt64) return { isInt64: false, scale };
  if (b.quantity.isZero) return a.form;
  if (a.quantity.isZero) return b.form;
  return { isInt64: [a.quantity, b.quantity, result].every((term) => fitsInt64(term, scale)), scale };
}

function fitsInt64(quantity: Quantity, scale: number): boolean {
  const steps = quantity.toNumber(scale);
  if (Math.abs(steps) < 2 ** 62) return true;
  // Below 2^64 the exact integer is cheap. At the bounds the rounded value tells nothing, so the quantity is compared.
  if (Math.abs(steps) > 2 ** 64) return false;
  const max = Quantity.of(MAX_INT, 'DecimalSI', scale);
  const min = Quantity.of(MIN_INT, 'DecimalSI', scale);
  return quantity.compare(max) <= 0 && quantity.compare(min) >= 0;
}

/** The amount as an integer of 64 bits; undefined if upstream does not hold it as one. */
function integerOf({ quantity, form }: QuantityValue): Int | undefined {
  if (!form.isInt64 || form.scale < 0 || !fitsInt64(quantity, 0)) return undefined;
  return intOf(quantity.value());
}

/** The product of a rounded integer and a power of ten, which differs from the nearest double. */
function approximate({ quantity, form: { scale } }: QuantityValue): number {
  const base = quantity.toNumber(scale);
  return scale === 0 ? base : base * powerOfTen(scale);
}

/** A power of ten, as Go's math.Pow10 makes it of two factors. */
function powerOfTen(exponent: number): number {
  if (exponent > 308) return Number.POSITIVE_INFINITY;
  if (exponent < -323) return 0;
  const rest = Math.abs(exponent) % 32;
  const large = Math.abs(exponent) - rest;
  return exponent < 0 ? Number(`1e-${large}`) / Number(`1e${rest}`) : Number(`1e${large}`) * Number(`1e${rest}`);
}

const compare = (a: QuantityValue, b: QuantityValue): number => a.quantity.compare(b.quantity);

const PARSE_WORK = parseWork(60);

/** Upstream: k8s.io/apiserver/pkg/cel/library/quantity.go */
export const QUANTITY_IMPLEMENTATIONS: Implementations = {
  is_quantity_string: implement(['string'], (text) => parses(() => Quantity.parse(text)), TRAVERSE_FIRST, PARSE_WORK),
  quantity_add: implement([QuantityValue, QuantityValue], (a, b) => sum(a, b, 1), undefined, SUM_WORK),
  quantity_add_int: implement([QuantityValue, 'int'], (a, b) => sum(a, quantityOf(b), 1), undefined, SUM_WORK),
  quantity_compare_to: implement([QuantityValue, QuantityValue], compare),
  quantity_get_float: implement([QuantityValue], (quantity) => new Double(approximate(quantity))),
  quantity_get_int: implement(
    [QuantityValue],
    (quantity) => integerOf(quantity) ?? new EvaluationError('cannot convert value to integer'),
  ),
  quantity_is_greater_than: implement([QuantityValue, QuantityValue], (a, b) => compare(a, b) > 0),
  quantity_is_integer: implement([QuantityValue], (quantity) => integerOf(quantity) !== undefined),
  quantity_is_less_than: implement([QuantityValue, QuantityValue], (a, b) => compare(a, b) < 0),
  quantity_sign: implement([QuantityValue], ({ quantity }) => quantity.sign),
  quantity_sub: implement([QuantityValue, QuantityValue], subtract, undefined, SUM_WORK),
  quantity_sub_int: implement([QuantityValue, 'int'], (a, b) => subtract(a, quantityOf(b)), undefined, SUM_WORK),
  string_to_quantity: implement(['string'], (text) => orError(() => parseQuantity(text)), TRAVERSE_FIRST, PARSE_WORK),
};
