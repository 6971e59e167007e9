import { expect, test } from 'vitest';
import { testAttributes } from '../../testing/attributes.js';
import { AuditAnnotations } from './audit-annotations.js';

function published(...values: readonly (readonly [key: string, value: string])[]): Record<string, string> {
  const annotations = new AuditAnnotations();
  for (const [key, value] of values) annotations.add(key, value);
  const found: Record<string, string> = {};
  const addAnnotation = (key: string, value: string) => {
    found[key] = value;
    return undefined;
  };
  annotations.publish('p', testAttributes({ addAnnotation }));
  return found;
}

test('different values of a key become one text', () => {
  expect(published(['a', '1'], ['b', '2'], ['a', '3'], ['a', '1'])).toEqual({ 'p/a': '1, 3', 'p/b': '2' });
});

test('a value has 10 KiB at most, and a part of a character is replaced', () => {
  const longest = 'x'.repeat(10_240);
  expect([
    published(['a', longest])['p/a'] === longest,
    published(['a', `${longest}y`])['p/a'] === longest,
    published(['a', `${'x'.repeat(10_239)}é`])['p/a']?.slice(-2),
  ]).toEqual([true, true, 'x\u{fffd}']);
});
