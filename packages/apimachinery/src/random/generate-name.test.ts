import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { generateName } from './generate-name.js';

it('appends five characters of the alphabet', () => {
  let next = 0;
  expect(generateName('pod-', (bound) => (next++ * 6) % bound)).toBe('pod-bjqx7');
});

it('cuts the base so that the name fits a DNS label', () => {
  const name = generateName('a'.repeat(200), randomInt);
  expect(name).toMatch(/^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});
