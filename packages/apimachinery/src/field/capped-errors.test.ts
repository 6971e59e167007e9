import { describe, expect, it } from 'vitest';
import { CappedErrors, MAX_ERROR_TEXT, MAX_ERRORS, TEXT_CAP } from './capped-errors.js';

const half = 'x'.repeat(MAX_ERROR_TEXT / 2);
const numbered = (count: number) => Array.from({ length: count }, (_, i) => `error ${i}`);

describe('CappedErrors', () => {
  it.each<[string, readonly string[], readonly string[], boolean]>([
    ['nothing', [], [], false],
    ['a few', ['a', 'b'], ['a', 'b'], false],
    ['as many as fit', numbered(MAX_ERRORS), numbered(MAX_ERRORS), true],
    ['one too many', numbered(MAX_ERRORS + 1), [...numbered(MAX_ERRORS), 'and 1 more error'], true],
    ['many too many', numbered(3 * MAX_ERRORS), [...numbered(MAX_ERRORS), 'and 2000 more errors'], true],
    ['as much text as fits', [half, half], [half, half], true],
    ['too much text', [half, `${half}x`, 'y'], [half, 'and 2 more errors'], true],
    ['a first one that is too long', [`${half}${half}x`], [`${half}${half}x`], true],
  ])('keeps of %s the first', (_, errors, kept, isFull) => {
    const list = new CappedErrors(TEXT_CAP);
    for (const error of errors) list.add(error);
    expect([list.list(), list.isFull]).toEqual([kept, isFull]);
  });

  it('counts errors that were never created', () => {
    const list = new CappedErrors(TEXT_CAP);
    for (const error of [half, half]) list.add(error);
    list.skip();
    list.skip(5);
    expect(list.list()).toEqual([half, half, 'and 6 more errors']);
  });
});
