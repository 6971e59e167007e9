import { expect, it } from 'vitest';
import { hasMoreValues } from './count-values.js';

it.each([
  ['elements', '[1,2,3,4,5,6]', true],
  ['members', '{"a":1,"b":2,"c":3,"d":4}', true],
  ['values at several depths', '{"a":[1,{"b":2,"c":3}],"d":4}', true],
  ['few values', '{"a":[1,2],"b":"of many bytes"}', false],
  ['commas in a text', '["a,b,c,d\\",,,,,,",1]', false],
  ['a text without an end', '["a,b,c,d,e,f', false],
])('%s', (_, json, expected) => {
  expect(hasMoreValues(Buffer.from(json), 2)).toBe(expected);
});
