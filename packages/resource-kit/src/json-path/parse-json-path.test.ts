import { WorkCounter } from '@apiserver/apimachinery/testing';
import { afterAll, expect, it } from 'vitest';
import { parseJsonPath } from './parse-json-path.js';

const work = new WorkCounter();
afterAll(() => work[Symbol.dispose]());

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
])('parses any number of %s by work in proportion', (_what, part) => {
  const blocks = (count: number) =>
    work.count(() => {
      try {
        parseJsonPath(`.a[?(@.b${part.repeat(count)} == 1)]`);
      } catch {
        // Most of them are invalid.
      }
    });
  expect(blocks(20_000)).toBeLessThan(20 * blocks(2_000));
});

it('trims spaces between other characters in linear time', () => {
  // Each further space must not be tried with all behind it: here that would be minutes.
  expect(parseJsonPath(`.a[?(@.b${' '.repeat(1_000_000)}.c==1)]`)).toEqual(parseJsonPath('.a[?(@.b .c==1)]'));
});
