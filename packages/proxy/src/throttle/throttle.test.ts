import { Buffer } from 'node:buffer';
import { PassThrough } from 'node:stream';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Throttle, throttledFrom, throttledInto } from './throttle.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function counted(throttle: Throttle): { total: number } {
  const count = { total: 0 };
  throttle.on('data', (chunk: Buffer) => {
    count.total += chunk.length;
  });
  return count;
}

/** The total after each step of the clock, in milliseconds. */
async function totals(count: { readonly total: number }, steps: readonly number[]): Promise<readonly number[]> {
  const seen: number[] = [];
  await eventLoopTurns();
  for (const step of steps) {
    vi.advanceTimersByTime(step);
    await eventLoopTurns();
    seen.push(count.total);
  }
  return seen;
}

describe('a throttle', () => {
  it.each<[rate: number, expected: readonly number[]]>([
    [10_000, [1_000, 1_000, 2_000, 3_000, 4_000, 4_096, 4_096]],
    // One byte at least passes in each sample.
    [1, [1, 1, 2, 3, 4, 5, 6]],
    [1_000_000, [4_096, 4_096, 4_096, 4_096, 4_096, 4_096, 4_096]],
  ])('of %d bytes a second passes its share in each sample', async (rate, expected) => {
    const throttle = new Throttle(rate);
    const count = counted(throttle);
    throttle.write(Buffer.alloc(4_096));
    expect(await totals(count, [0, 99, 1, 100, 100, 100, 100])).toEqual(expected);
    throttle.destroy();
  });

  it('counts all chunks of a sample together, and saves nothing for the next', async () => {
    const throttle = new Throttle(1_000);
    const count = counted(throttle);
    for (const size of [60, 60, 60]) throttle.write(Buffer.alloc(size));
    expect(await totals(count, [0, 100])).toEqual([100, 180]);
    vi.advanceTimersByTime(10_000);
    throttle.write(Buffer.alloc(300));
    expect(await totals(count, [0, 100, 100])).toEqual([280, 380, 480]);
  });

  it('reads no further chunk before it has passed one', async () => {
    const source = new PassThrough({ highWaterMark: 1_000 });
    const throttle = throttledFrom(source, 1_000) as Throttle;
    counted(throttle);
    let accepted = 0;
    for (; source.write(Buffer.alloc(1_000)); accepted++) await eventLoopTurns();
    await eventLoopTurns();
    expect(accepted * 1_000).toBeLessThanOrEqual(2 * throttle.writableHighWaterMark);
    expect(source.writableNeedDrain || source.readableLength > 0).toBe(true);
    throttle.destroy();
  });

  it('passes everything before the end', async () => {
    const source = new PassThrough();
    const throttle = throttledFrom(source, 1_000) as Throttle;
    const count = counted(throttle);
    source.end(Buffer.alloc(250));
    expect(await totals(count, [0, 100])).toEqual([100, 200]);
    expect(throttle.readableEnded).toBe(false);
    expect([await totals(count, [100]), throttle.readableEnded]).toEqual([[250], true]);
  });

  it('ends with its source or its target, and leaves no timer', async () => {
    const source = new PassThrough();
    const target = new PassThrough();
    const reading = throttledFrom(source, 10).on('error', () => {});
    const writing = throttledInto(target, 10);
    reading.resume();
    source.write(Buffer.alloc(100));
    writing.write(Buffer.alloc(100));
    await eventLoopTurns();
    expect(vi.getTimerCount()).toBe(2);
    source.destroy();
    target.destroy();
    await eventLoopTurns();
    expect([reading.destroyed, writing.destroyed, vi.getTimerCount()]).toEqual([true, true, 0]);
  });

  it('is not there without a limit', () => {
    const stream = new PassThrough();
    expect([throttledFrom(stream, 0), throttledInto(stream, -1)]).toEqual([stream, stream]);
  });
});
