/** The value of a hexadecimal digit, given as its ASCII code. The caller knows that it is one. */
export function hexDigit(code: number): number {
  return code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57;
}
