/**
 * An unsigned 64-bit integer: a number where that is exact (a safe integer), a bigint otherwise. Sums and products that
 * are too large are MAX_AMOUNT.
 */
export type Amount = number | bigint;

export const MAX_AMOUNT = 2n ** 64n - 1n;

const TWO_TO_63 = 2 ** 63;
const TWO_TO_64 = 2 ** 64;

function amountOf(value: bigint): Amount {
  if (value > MAX_AMOUNT) return MAX_AMOUNT;
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

/** The sum of two amounts. */
export function addAmounts(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER) return sum;
  }
  return amountOf(BigInt(a) + BigInt(b));
}

/** The product of two amounts. */
export function multiplyAmounts(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (product <= Number.MAX_SAFE_INTEGER) return product;
  }
  return amountOf(BigInt(a) * BigInt(b));
}

/** Multiplies by a factor, in double precision, and rounds up. */
export function scaleAmount(amount: Amount, factor: number): Amount {
  const value = Number(amount);
  if (value > 0 && factor > 0 && value > TWO_TO_64 / factor) return MAX_AMOUNT;
  const scaled = Math.ceil(value * factor);
  if (scaled >= TWO_TO_64) return MAX_AMOUNT;
  return scaled <= Number.MAX_SAFE_INTEGER ? scaled : BigInt(scaled);
}

/** Divides in double precision, and rounds up. Upstream's processors make 2^63 of a quotient that is too large. */
export function divideAmounts(a: Amount, b: Amount): Amount {
  const quotient = Math.ceil(Number(a) / Number(b));
  if (quotient >= TWO_TO_64) return BigInt(TWO_TO_63);
  return quotient <= Number.MAX_SAFE_INTEGER ? quotient : BigInt(quotient);
}

/** The lower 64 bits of an integer: upstream does not bound some sums and products. */
export function wrapAmount(value: bigint): Amount {
  return amountOf(BigInt.asUintN(64, value));
}

/** The smaller of two amounts. */
export function smallerAmount(a: Amount, b: Amount): Amount {
  return b < a ? b : a;
}
