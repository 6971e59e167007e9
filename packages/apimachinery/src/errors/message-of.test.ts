import { expect, test } from 'vitest';
import { errorOf, messageOf } from './message-of.js';

test.each([
  [new TypeError('no object'), 'no object'],
  ['no object', 'no object'],
  [undefined, 'undefined'],
  [{ message: 'of no Error' }, '[object Object]'],
])('the message of %o is %j', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
  expect(errorOf(thrown).message).toBe(message);
});

test('an Error stays itself', () => {
  const thrown = new TypeError('no object');
  expect(errorOf(thrown)).toBe(thrown);
});
