import { expect, it } from 'vitest';
import { percentDecoded } from './percent-decoded.js';

it.each([
  ['a+b', 'a+b'],
  ['a%2Fb%c3%a9', 'a/bé'],
  ['%', undefined],
  ['a%2', undefined],
  ['%zz', undefined],
  ['é%ff', 'é\ufffd'],
  ['%e2%82x', '\ufffdx'],
])('percentDecoded %s', (text, expected) => {
  expect(percentDecoded(text)).toBe(expected);
});

it('takes other characters for bytes', () => {
  expect(percentDecoded('\u00c3\u00a9%ff', 'latin1')).toBe('é\ufffd');
});
