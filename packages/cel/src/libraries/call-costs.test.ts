import { expect, test } from 'vitest';
import { OptionalValue } from '../values/value.js';
import { SEARCH, TRAVERSE_FIRST, TRAVERSE_FIRST_TWICE, TRAVERSE_RESULT_TWICE } from './call-costs.js';

const text = 'x'.repeat(36);

test.each([
  ['a text', text, [4, 8, 8, 36]],
  ['an optional text', OptionalValue.of(text), [1, 1, 1, 1]],
  ['no text', OptionalValue.NONE, [1, 1, 1, 1]],
])('calls with %s cost', (_, value, costs) => {
  const [first, twice, result] = [TRAVERSE_FIRST, TRAVERSE_FIRST_TWICE, TRAVERSE_RESULT_TWICE];
  expect([first([value], ''), twice([value], ''), result([], value), SEARCH([value, value], '')]).toEqual(costs);
});
