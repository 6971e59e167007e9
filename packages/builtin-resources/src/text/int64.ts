import { uintProblem } from '@apiserver/apimachinery/text';

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/**
 * The number of a text, or the reason why it is not an integer of 64 bits. Takes linear time for any text.
 * Upstream: ParseInt of Go's strconv, with base 10
 */
export function parseInt64(text: string): bigint | 'invalid syntax' | 'value out of range' {
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  const problem = uintProblem(unsigned);
  if (problem !== undefined) return problem;
  const size = BigInt(unsigned.replace(/^0+/, ''));
  const value = text.startsWith('-') ? -size : size;
  return value > MAX_INT64 || value < MIN_INT64 ? 'value out of range' : value;
}
