import { expect, it } from 'vitest';
import { scopeMatches } from './scope-selector.js';

it.each<[string, readonly string[] | undefined, readonly boolean[]]>([
  ['Exists', undefined, [false, true, true, true]],
  ['DoesNotExist', undefined, [true, false, false, false]],
  ['In', ['a', 'c'], [false, true, false, true]],
  ['In', undefined, [false, false, false, false]],
  ['NotIn', ['a', 'c'], [true, false, true, true]],
  ['NotIn', undefined, [true, true, true, true]],
  ['Near', ['a'], [false, false, false, false]],
])('%s %j selects none, a, b, both: %j', (operator, values, expected) => {
  const requirement = { scopeName: 'PriorityClass', operator, ...(values && { values: [...values] }) };
  expect([[], ['a'], ['b'], ['a', 'b']].map((present) => scopeMatches(requirement, present))).toEqual(expected);
});
