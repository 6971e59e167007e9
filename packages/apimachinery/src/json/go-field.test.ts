import { expect, it } from 'vitest';
import { goField } from './go-field.js';

it.each<[string, unknown]>([
  ['{}', undefined],
  ['{"issuer":"a"}', 'a'],
  ['{"ISSUER":"a"}', 'a'],
  ['{"issuer":"a","Issuer":"b"}', 'b'],
  ['{"Issuer":"b","issuer":"a","ISSUER":null}', 'a'],
  ['{"issuer":null}', undefined],
  ['{"iſſuer":"a"}', 'a'],
  ['{"issuers":"a","issue":"b","ıssuer":"c"}', undefined],
])('%s', (text, expected) => {
  expect(goField(JSON.parse(text), 'issuer')).toBe(expected);
});

it('takes the Kelvin sign for a letter', () => {
  expect(goField({ '\u212aey': 1 }, 'key')).toBe(1);
});
