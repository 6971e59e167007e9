import { expect, it } from 'vitest';
import { HistorySize } from './history-size.js';

/** A limit of 640 bytes: every 10 bytes the history can be cut, and 480 stay. */
function sizeAfter(...writes: (readonly [revision: number, bytes: number])[]): HistorySize {
  const size = new HistorySize(640);
  for (const [revision, bytes] of writes) size.add(revision, bytes);
  return size;
}

const writes = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) => [index + 1, bytes] as const);

it('is cut to three quarters of the limit, and not again at once', () => {
  const size = sizeAfter(...writes(64, 10));
  expect([size.exceeded, size.cut(0)]).toEqual([false, undefined]);
  size.add(65, 1);
  expect([size.exceeded, size.cut(0)]).toEqual([true, 16]);
  expect([size.exceeded, size.cut(0)]).toEqual([false, undefined]);
  // 481 bytes are left.
  size.add(66, 159);
  expect(size.exceeded).toBe(false);
  size.add(67, 1);
  expect([size.exceeded, size.cut(0)]).toEqual([true, 32]);
});

it('is cut only where 10 bytes have been written since the last such place', () => {
  // After the writes 3, 6, 9 and so on.
  const size = sizeAfter(...writes(161, 4));
  // 644 bytes; a cut at 164 is wanted, and 156 is possible.
  expect(size.cut(0)).toBe(39);
  expect(sizeAfter([1, 9], [2, 700], [3, 300]).cut(0)).toBeUndefined();
  expect(sizeAfter([1, 10], [2, 700]).cut(0)).toBe(1);
});

it('is not cut inside of a write that is larger than the limit', () => {
  const size = sizeAfter([5, 700]);
  expect([size.exceeded, size.cut(0), size.exceeded]).toEqual([true, undefined, true]);
  size.add(6, 300);
  expect(size.cut(0)).toBeUndefined();
  size.add(7, 200);
  expect([size.cut(0), size.exceeded]).toEqual([5, false]);
});

it('may be larger in a large file', () => {
  const size = sizeAfter(...writes(65, 10));
  expect([size.exceeded, size.cut(650), size.exceeded]).toEqual([true, undefined, false]);
  expect(size.cut(649)).toBe(16);
});

it('can be cut after a write that followed a cut at the last place', () => {
  const size = sizeAfter();
  expect(size.cut(64_000)).toBeUndefined();
  size.add(1, 1_000);
  size.add(2, 900);
  expect(size.cut(0)).toBe(1);
  size.add(3, 5);
  size.add(4, 481);
  expect(size.cut(0)).toBe(3);
});
