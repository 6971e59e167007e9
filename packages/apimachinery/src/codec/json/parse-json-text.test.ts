import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJsonText } from './parse-json-text.js';

it('keeps an escaped name that V8 takes for one of an earlier text', () => {
  const texts = [...Array.from({ length: 50 }, () => '{"a\\\\":1}'), '{"a\\"":1}'];
  expect(texts.map((text) => Object.keys(Object(parseJsonText(text)))).at(-1)).toEqual(['a"']);
});

it('makes plain numbers of all sizes beside such a name', () => {
  expect(parseJsonText('{"\\\\":[9007199254740993,-12,0.5]}')).toEqual({ '\\': [9007199254740992, -12, 0.5] });
});

it('is JSON.parse otherwise', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseJsonText(text)).toEqual(JSON.parse(text));
    }),
  );
  expect(() => parseJsonText('{"\\')).toThrow();
});
