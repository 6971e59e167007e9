import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareYamlKeys } from './yaml-key-order.js';

const isDigit = (character: string | undefined) => character !== undefined && /\p{Nd}/u.test(character);
const isLetter = (character: string) => /\p{L}/u.test(character);

/** Upstream: keyList.Less of go.yaml.in/yaml/v2 */
function isLess(a: string, b: string): boolean {
  const [x, y] = [[...a], [...b]];
  for (let i = 0; i < x.length && i < y.length; i++) {
    const [left = '', right = ''] = [x[i], y[i]];
    if (left === right) continue;
    const byCode = (left.codePointAt(0) ?? 0) < (right.codePointAt(0) ?? 0);
    if (isLetter(left) && isLetter(right)) return byCode;
    if (isLetter(left) || isLetter(right)) return isLetter(right);
    let lead = 0n;
    if (left === '0' || right === '0') {
      for (let j = i - 1; j >= 0 && isDigit(x[j]); j--) if (x[j] !== '0') lead = 1n;
    }
    const runOf = (text: readonly string[]) => {
      let end = i;
      let value = lead;
      for (; isDigit(text[end]); end++) {
        value = BigInt.asIntN(64, value * 10n + BigInt((text[end]?.codePointAt(0) ?? 0) - 0x30));
      }
      return { end, value };
    };
    const [run, other] = [runOf(x), runOf(y)];
    if (run.value !== other.value) return run.value < other.value;
    return run.end === other.end ? byCode : run.end < other.end;
  }
  return x.length < y.length;
}

const part = fc.constantFrom('a', 'B', 'é', '0', '00', '1', '9', '10', '٣', '.', '/', '-', '12345678901234', '𝟘');
const key = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));

it('has the order of upstream, for runs of digits of any length and script', () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(Math.sign(compareYamlKeys(a, b))).toBe(a === b ? 0 : isLess(a, b) ? -1 : 1);
    }),
  );
});
