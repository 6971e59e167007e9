import { expect, it } from 'vitest';
import { parseJsonPath } from './parse-json-path.js';

it.each([
  ['!a', "unrecognized character in action: U+0021 '!'"],
  ['.a[0]#', "unrecognized character in action: U+0023 '#'"],
  ['.a[0', 'unterminated array'],
  ['.a[x]', 'invalid array index x'],
  ['.a[?(@.b', 'unterminated filter'],
  ['.a[?(@.b)', 'unclosed array expect ]'],
  ["'a", 'unterminated quoted string'],
  ['.a\n', 'unclosed action'],
])('%j is refused in the words of upstream', (text, message) => {
  expect(() => parseJsonPath(text)).toThrow(message);
});

it.each([
  ['spaces', ' '],
  ['steps', '.a'],
  ['filters', '[?(@.b'],
  ['unions', "['a',"],
  ['quotes', '"a"'],
  ['backslashes', '\\'],
])('parses any number of %s in linear time', (_what, part) => {
  const [few, many] = [2_000, 20_000].map((count) => {
    const before = process.cpuUsage();
    try {
      parseJsonPath(`.a[?(@.b${part.repeat(count)} == 1)]`);
    } catch {
      // Most of them are invalid.
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  expect(many).toBeLessThan(100 * (few ?? 0) + 200_000);
});
