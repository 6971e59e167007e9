/** The polynomial of CRC-32, least power last. */
const POLYNOMIAL = 0xedb88320;
/** x^0. */
const ONE = 0x80000000;
/** Powers that a length of bytes below 2^53 needs. */
const POWERS = 56;

/** x^(2^n) by n. */
const squares = powersOfX();

/**
 * The CRC-32 of two byte strings together: the first one's is moved by the length of the second. Numbers are unsigned.
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  return (multiply(powerOfBytes(secondLength), first) ^ second) >>> 0;
}

/** x^(8 * length). */
function powerOfBytes(length: number): number {
  let power = ONE;
  // Three squarings make eight bits of a byte.
  for (let rest = length, n = 3; rest > 0; rest = Math.floor(rest / 2), n++) {
    if (rest % 2 === 1) power = multiply(squares[n] ?? 0, power);
  }
  return power;
}

/** The product of two polynomials, modulo that of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

function powersOfX(): readonly number[] {
  const powers = [ONE >>> 1];
  for (let n = 1; n < POWERS; n++) {
    const last = powers[n - 1] ?? 0;
    powers.push(multiply(last, last));
  }
  return powers;
}
