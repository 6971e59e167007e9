import { expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.js';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `l${i}`);
const changed = (lines: readonly string[], changes: Readonly<Record<number, string>>) =>
  lines.map((line, i) => changes[i] ?? line).join('\n');

it.each([
  ['equal texts', 'a\nb', 'a\nb', ''],
  ['one line', 'a', 'b', '@@ -1 +1 @@\n-a\n+b\n'],
  ['an added line', 'a\nb', 'a\nx\nb', '@@ -1,2 +1,3 @@\n a\n+x\n b\n'],
  ['a removed line', 'a\nx\nb', 'a\nb', '@@ -1,3 +1,2 @@\n a\n-x\n b\n'],
  ['nothing in common', 'a\nb', 'c', '@@ -1,2 +1 @@\n-a\n-b\n+c\n'],
  [
    'changes far apart',
    numbered(20).join('\n'),
    changed(numbered(20), { 1: 'X', 18: 'Y' }),
    '@@ -1,5 +1,5 @@\n l0\n-l1\n+X\n l2\n l3\n l4\n@@ -16,5 +16,5 @@\n l15\n l16\n l17\n-l18\n+Y\n l19\n',
  ],
  [
    'changes close by',
    numbered(9).join('\n'),
    changed(numbered(9), { 1: 'X', 7: 'Y' }),
    '@@ -1,9 +1,9 @@\n l0\n-l1\n+X\n l2\n l3\n l4\n l5\n l6\n-l7\n+Y\n l8\n',
  ],
  [
    'a change at the end',
    numbered(6).join('\n'),
    changed(numbered(6), { 5: 'X' }),
    '@@ -3,4 +3,4 @@\n l2\n l3\n l4\n-l5\n+X\n',
  ],
])('%s', (_what, before, after, difference) => {
  expect(unifiedDiff(before, after)).toBe(difference);
});

it('starts no common run with a line that is frequent in a long text', () => {
  // The brace is on every second line: the other lines find the runs, and the braces around them are kept.
  const long = Array.from({ length: 220 }, (_, i) => (i % 2 === 0 ? `l${i}` : '}'));
  const after = [...long.slice(0, 100), 'new', '}', ...long.slice(100)];
  expect(unifiedDiff(long.join('\n'), after.join('\n'))).toBe(
    '@@ -98,6 +98,8 @@\n }\n l98\n }\n+new\n+}\n l100\n }\n l102\n',
  );
});

it('compares only the ends of texts that are too long', () => {
  const long = Array.from({ length: 3000 }, (_, i) => `l${i}`);
  const changedTwice = changed(long, { 10: 'X', 2990: 'Y' });
  const difference = unifiedDiff(long.join('\n'), changedTwice);
  expect(difference.split('\n')[0]).toBe('@@ -8,2987 +8,2987 @@');
});

it('cuts a long difference behind a line', () => {
  const difference = unifiedDiff(numbered(50_000).join('\n'), 'x');
  expect([difference.length < 256 * 1_024 + 20, /\n-l\d+\n\.\.\. and more\n$/.test(difference)]).toEqual([true, true]);
});
