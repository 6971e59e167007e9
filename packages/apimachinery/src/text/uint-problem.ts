const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * The reason why a text is not an unsigned integer of 64 bits; undefined for one that is. Between overflow and a
 * character that is not a digit, the first one counts. Takes linear time for any text.
 *
 * Upstream: ParseUint of Go's strconv
 */
export function uintProblem(text: string): 'invalid syntax' | 'value out of range' | undefined {
  if (/^[0-9]{1,19}$/.test(text)) return undefined;
  const [digits = ''] = /^[0-9]*/.exec(text) ?? [];
  const significant = digits.replace(/^0+/, '');
  if (significant.length > 20 || BigInt(significant) > MAX_UINT64) return 'value out of range';
  return digits === '' || digits.length < text.length ? 'invalid syntax' : undefined;
}
