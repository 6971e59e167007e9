import { expect, test } from 'vitest';
import { JsonTokens } from './json-tokens.js';
import { TokenReader } from './token-reader.js';

const plain = (text: string | Uint8Array) => new JsonTokens().read(Buffer.from(text));

test.each([
  '{}',
  '[]',
  '0',
  '"a"',
  '{"a":[1,-2,true,false,null,"b",{"c":{}},[]],"d":123456789012345}',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\\u0000"',
  '"ü€😀"',
])('%s is plain', (text) => expect([plain(text), JSON.parse(text) !== undefined]).toEqual([true, true]));

test.each<[string, string | Uint8Array]>([
  ['nothing', ''],
  ['spaces', '{ }'],
  ['a space at the end', '{} '],
  ['two values', '{}{}'],
  ['an open object', '{"a":1'],
  ['an open string', '"a'],
  ['an escape at the end', '"a\\'],
  ['a short escape', '"\\u00e'],
  ['an unknown escape', '"\\x"'],
  ['a surrogate in escapes', '"\\ud83d\\ude00"'],
  ['a name that is no string', '{1:2}'],
  ['a name without value', '{"a"}'],
  ['a comma at the end', '[1,]'],
  ['the wrong closing', '[1}'],
  ['a fraction', '[1.5]'],
  ['an exponent', '[1e3]'],
  ['minus zero', '[-0]'],
  ['a leading zero', '[01]'],
  ['a lone minus', '[-]'],
  ['a long number', '[1234567890123456]'],
  ['an unknown literal', '[nul]'],
  ['a line feed in a string', '"a\nb"'],
  ['a control character after an escape', '"\\n\u0001"'],
  ['bytes that are no UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
  ['the same after an escape', Uint8Array.of(0x22, 0x5c, 0x6e, 0xff, 0x22)],
  ['65 levels', '['.repeat(65) + ']'.repeat(65)],
  ['a long text', `"${'a'.repeat(256 * 1024)}"`],
])('%s is not plain', (_, text) => expect(plain(text)).toBe(false));

test('a text is not followed by the one before it', () => {
  const tokens = new JsonTokens();
  expect([
    tokens.read(Buffer.from('["abc"]')),
    tokens.read(Buffer.from('["a')),
    tokens.read(Buffer.from('[1')),
  ]).toEqual([true, false, false]);
});

test('strings are unescaped, in memory that grows', () => {
  const reader = new TokenReader();
  const long = 'x'.repeat(20_000);
  for (const value of ['"\\/\b\f\n\r\t\u00e9€\u0000😀', long, 'a']) {
    reader.begin(Buffer.from(JSON.stringify([value, `${value}b`])));
    expect([reader.text(1), reader.text(2), reader.tokens.after(0)]).toEqual([value, `${value}b`, 3]);
  }
  reader.begin(Buffer.from('["\\u00E9\\u20ac\\/"]'));
  expect(reader.text(1)).toBe('é€/');
});
