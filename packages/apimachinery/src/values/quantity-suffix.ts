/** The notation of a quantity: `12e6`, `12Mi`, `12M`. */
export type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI';

/** The meaning of a suffix: a power of ten, or of two for BinarySI. */
export interface QuantitySuffix {
  readonly format: QuantityFormat;
  readonly exponent: number;
}

const DECIMAL: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);

const BINARY: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);

/** Exponents with more digits never fit 64 bits. */
const MAX_EXPONENT_DIGITS = 19;

/** The meaning of a suffix; undefined for an invalid one. Upstream: k8s.io/apimachinery/pkg/api/resource/suffix.go */
export function interpretSuffix(suffix: string): QuantitySuffix | undefined {
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { format: 'DecimalSI', exponent: decimal };
  const binary = BINARY.get(suffix);
  if (binary !== undefined) return { format: 'BinarySI', exponent: binary };
  const [, sign, digits] = /^[eE]([+-]?)0*([0-9]{1,20})$/.exec(suffix) ?? [];
  if (digits === undefined || digits.length > MAX_EXPONENT_DIGITS) return undefined;
  return exponentSuffix(sign === '-' ? -BigInt(digits) : BigInt(digits));
}

/** An exponent beyond 64 bits is rejected; one beyond 32 wraps around, as upstream. */
function exponentSuffix(exponent: bigint): QuantitySuffix | undefined {
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined;
  return { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, exponent)) };
}

/** The suffix of a power of ten. DecimalSI has none outside n … E: upstream then prints the number alone. */
export function decimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === 'DecimalExponent') return exponent === 0 ? '' : `e${exponent}`;
  return keyOf(DECIMAL, exponent);
}

/** The suffix of a power of two. */
export function binarySuffix(exponent: number): string {
  return keyOf(BINARY, exponent);
}

function keyOf(suffixes: ReadonlyMap<string, number>, exponent: number): string {
  for (const [suffix, value] of suffixes) {
    if (value === exponent) return suffix;
  }
  return '';
}
