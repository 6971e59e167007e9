import { FieldPath, fieldRequired } from '@apiserver/apimachinery/field';
import { expect, it } from 'vitest';
import { validateMap } from './bounded-collections.js';

const ROOT = FieldPath.of('a');

it.each([
  ['x'.repeat(20), 'x'.repeat(20)],
  [`${'x'.repeat(15)}${'y'.repeat(15)}`, `${'x'.repeat(9)}...${'y'.repeat(8)}`],
  ['é'.repeat(11), 'éééé\ufffd...éééé'],
  [`${'€'.repeat(4)}${'x'.repeat(9)}`, '€€€...xxxxxxxx'],
  [`x${'😀'.repeat(6)}x`, 'x😀😀...\ufffd\ufffd\ufffd😀x'],
  [`${'😀'.repeat(2)}\ufeff${'x'.repeat(12)}`, '😀😀\ufffd...xxxxxxxx'],
])('shortens keys to 20 bytes: %s', (key, shown) => {
  const rules = {
    maxKeyLength: 20,
    validateKey: () => [],
    validate: (_: number, at: FieldPath) => [fieldRequired(at, '')],
  };
  expect(validateMap({ [key]: 1 }, rules, ROOT).map(({ field }) => field)).toEqual([`a[${shown}]`]);
});
