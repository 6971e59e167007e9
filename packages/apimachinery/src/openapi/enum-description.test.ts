import { expect, it } from 'vitest';
import { enumDescription } from './enum-description.js';

const schema = { enum: ['A', 'B'] };
const names = 'Possible enum values:\n - `"A"`\n - `"B"`';

it.each([
  ['Which.', undefined, `Which.\n\n${names}`],
  [undefined, undefined, names],
  ['Which.', '\n\nPossible enum values:\n - `"A"` the first', 'Which.\n\nPossible enum values:\n - `"A"` the first'],
])('%j with %j', (text, listed, expected) => {
  expect(enumDescription(text, schema, listed)).toBe(expected);
});
