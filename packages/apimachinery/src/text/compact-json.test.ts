import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compactJson, compactJsonBytes } from './compact-json.js';

it.each<[string, unknown]>([
  ['escaped characters', { '<a>': ['&&', '\u2028\u2029>'] }],
  ['big numbers', { a: [2n ** 60n, '<'] }],
  ['other scripts', ['äöü', '漢字', '\u{1f600}', '\ud800']],
  ['scalars', [null, true, 1.5, -0, 1e300, '']],
  ['nothing', undefined],
])('counts the bytes of %s', (_, value) => {
  expect(compactJsonBytes(value)).toBe(Buffer.byteLength(compactJson(value)));
});

it('counts the bytes of any value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(compactJsonBytes(value)).toBe(Buffer.byteLength(compactJson(value)));
    }),
  );
});

it('writes the keys of a map in the order of their bytes', () => {
  expect(compactJson({ b: 1, 10: 2, 2: 3, '': 4 })).toBe('{"":4,"10":2,"2":3,"b":1}');
});

it('keeps the order of the fields of a structure', () => {
  expect(compactJson({ b: 1, a: { d: 2, c: 3 } })).toBe('{"b":1,"a":{"d":2,"c":3}}');
});
