import { expect, it } from 'vitest';
import { freezeJson } from '../../json/freeze-json.js';
import { rawBytes } from './raw-bytes.js';

const text = (value: unknown) => Buffer.from(rawBytes(value)).toString();

it.each<[string, unknown]>([
  ['text', 'a<b'],
  ['a number', 1],
  ['a value that may change', { a: [1, { b: null }] }],
  ['a frozen value', freezeJson({ 'f:a': { '.': {}, 'f:é': {} } })],
  ['a large frozen value', freezeJson({ a: 'x'.repeat(5000) })],
])('writes %s the same each time', (_, value) => {
  expect([1, 2, 3].map(() => text(value))).toEqual(new Array(3).fill(JSON.stringify(value)));
});

it('keeps the bytes of a frozen value that is written again, until eight others were written', () => {
  const value = freezeJson({ 'f:a': {} });
  const [, , third, fourth] = [1, 2, 3, 4].map(() => rawBytes(value));
  for (let i = 0; i < 8; i++) rawBytes(freezeJson({ [`f:${i}`]: {} }));
  expect([third === fourth, fourth === rawBytes(value), text(value)]).toEqual([true, false, '{"f:a":{}}']);
});

it('writes a value that changes', () => {
  const value: { a: number } = { a: 1 };
  const before = [text(value), text(value)];
  value.a = 2;
  expect([...before, text(value)]).toEqual(['{"a":1}', '{"a":1}', '{"a":2}']);
});

it('does not keep large values in place of small ones', () => {
  const value = freezeJson({ 'f:a': { 'f:b': {} } });
  const [, second] = [1, 2].map(() => rawBytes(value));
  for (let i = 0; i < 8; i++) rawBytes(freezeJson({ [`f:${i}`]: 'x'.repeat(5000) }));
  expect(rawBytes(value)).toBe(second);
});
