const SURROGATES = /[\ud800-\udfff]/;

/** Compares two texts by their code points: negative, zero or positive. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  if (SURROGATES.test(a) || SURROGATES.test(b)) return compareCodePoints(a, b);
  return a < b ? -1 : 1;
}

/** UTF-16 orders characters beyond U+FFFF before those from U+E000 on. */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    const [high, low] = [isSurrogate(left), isSurrogate(right)];
    if (high !== low) return (high ? Math.max(left, 0x10000) : left) - (low ? Math.max(right, 0x10000) : right);
    return left - right;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}
