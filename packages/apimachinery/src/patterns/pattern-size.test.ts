import { expect, it } from 'vitest';
import { patternSize } from './pattern-size.js';

it.each([
  ['', 0],
  ['abc', 3],
  ['a{5}', 5],
  ['a{2,5}b', 6],
  ['a{5,}', 6],
  ['a{0}', 1],
  ['ab{1000}', 1001],
  ['(ab){10}', 40],
  ['((a{10}){10}){9}', 1098],
  ['[^]a{5}b]{3}', 3],
  ['[[:alpha:](]{3}', 3],
  ['[[:]a{3}', 4],
  ['[a(', 1],
  ['[\\]{9}]{3}', 3],
  ['\\{{3}', 3],
  ['\\pL{10}\\p{Greek}{10}[\\p{Lu}]{10}', 90],
  ['\\x{41}{10}', 10],
  ['\\Qa{9}\\E', 8],
  ['a{x}', 4],
  ['a{99999}', 1001],
  [`{${'9'.repeat(400)}}`, 0],
  ['(((a{10}', 10],
  ['a)){10}', 50],
])('%s has %d instructions', (pattern, size) => {
  expect(patternSize(pattern)).toBe(size);
});
