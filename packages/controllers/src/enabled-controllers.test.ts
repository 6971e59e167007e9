import { expect, it } from 'vitest';
import { controllerNames, enabledControllers, validateControllers } from './enabled-controllers.js';

it.each([
  [[], false],
  [['*'], true],
  [['namespace-controller'], true],
  [['namespace'], true],
  [['*', '-namespace-controller'], false],
  [['-namespace', '*'], false],
  [['namespace', '-namespace-controller'], true],
])('%j enables the controller of namespaces: %s', (selection, isEnabled) => {
  expect(enabledControllers(selection).includes('namespace-controller')).toBe(isEnabled);
});

it('accepts names and aliases, and nothing else', () => {
  expect(validateControllers(['*', ...controllerNames, '-namespace', 'moon', '-sun', '-*'])).toEqual([
    '"moon" is not in the list of known controllers',
    '"sun" is not in the list of known controllers',
    '"*" is not in the list of known controllers',
  ]);
});
