import { expect, test, vi } from 'vitest';
import { Memo } from './memo.js';

const text = (): string => 'text';
const nothing = (): undefined => undefined;

test('a result is made once for each owner and maker', () => {
  const makeText = vi.fn(text);
  const makeNothing = vi.fn(nothing);
  const [one, other] = [new Memo(), new Memo()];
  for (const memo of [one, other, one]) {
    expect(memo.of(text, makeText)).toBe('text');
    expect(memo.of(nothing, makeNothing)).toBe(undefined);
  }
  expect([makeText.mock.calls.length, makeNothing.mock.calls.length]).toEqual([2, 2]);
});

test('a call that throws does not count', () => {
  const memo = new Memo();
  const fail = () => {
    throw new Error('not yet');
  };
  expect(() => memo.of(text, fail)).toThrow('not yet');
  expect(memo.of(text, text)).toBe('text');
});
