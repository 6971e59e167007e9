import { expect, it } from 'vitest';
import { FieldPath } from '../field/path.js';
import { validateAnnotations } from './annotations.js';

it.each([
  ['a.io/B', 0],
  ['a.io/\u0130b', 0],
  ['\u212a', 0],
  ['\u00e9', 1],
  ['A b', 1],
])('the key %s has %d faults', (key, count) => {
  expect(validateAnnotations({ [key]: '' }, FieldPath.of('annotations'))).toHaveLength(count);
});
