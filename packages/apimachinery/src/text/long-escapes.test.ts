import { expect, it } from 'vitest';
import { lengthenEscapes } from './long-escapes.js';

it.each([
  ['"a\\bé\\f"', '"a\\u0008é\\u000c"'],
  ['"\\\\b\\\\\\f"', '"\\\\b\\\\\\u000c"'],
  ['"\\n\\u0008\\"b"', '"\\n\\u0008\\"b"'],
  ['"\\b\\n\\u0008\\"b"', '"\\u0008\\n\\u0008\\"b"'],
])('%s becomes %s', (json, expected) => {
  expect(lengthenEscapes(json)).toBe(expected);
});

it('makes no pieces of text for many escapes', () => {
  const json = `"${'\\b\\n'.repeat(1_000_000)}"`;
  const begun = process.threadCpuUsage();
  expect(lengthenEscapes(json)).toHaveLength(8_000_002);
  const { user, system } = process.threadCpuUsage(begun);
  // A call for each escape takes several times as long.
  expect((user + system) / 1_000).toBeLessThan(150);
});
