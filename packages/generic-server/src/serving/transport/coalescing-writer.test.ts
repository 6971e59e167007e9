import { Buffer } from 'node:buffer';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CoalescingWriter, WriteCoalescer } from './coalescing-writer.js';

/** Monotonic milliseconds. */
let now = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Writers of one scheduler, each to a sink with this duration of a write; `written` has the output of the first. */
function writers(count: number, milliseconds: number) {
  const scheduler = new WriteCoalescer();
  const written: string[] = [];
  const sinkOf = (index: number) =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        now += milliseconds;
        if (index === 0) written.push(chunk.toString());
        done();
      },
    });
  const all = Array.from({ length: count }, (_, index) => new CoalescingWriter(sinkOf(index), scheduler));
  const write = (text: string) => {
    for (const writer of all) writer.write(Buffer.from(text));
  };
  return { write, written };
}

/** Runs event loop turns for a number of milliseconds. */
function pass(milliseconds: number): void {
  vi.advanceTimersByTime(milliseconds);
  now += milliseconds;
}

it('combines the writes of one turn at its end', () => {
  const { write, written } = writers(31, 0.1);
  write('a');
  write('b');
  expect(written).toEqual([]);
  pass(0);
  write('c');
  pass(0);
  expect(written).toEqual(['ab', 'c']);
});

it.each([
  [0.01, 1.6],
  [1, 5],
])('lets 40 writers that took %d ms each rest for %d ms, and gathers what comes meanwhile', (milliseconds, rest) => {
  const { write, written } = writers(40, milliseconds);
  write('a');
  pass(0);
  write('b');
  pass(0);
  write('c');
  pass(Math.floor(rest) - 1);
  expect(written).toEqual(['a']);
  pass(1);
  expect(written).toEqual(['a', 'bc']);
  pass(10);
  write('d');
  pass(0);
  expect(written).toEqual(['a', 'bc', 'd']);
});
