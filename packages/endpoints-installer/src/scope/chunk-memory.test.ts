import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CHUNK_BYTES, ChunkMemory } from './chunk-memory.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Takes this many chunks, and returns how many of them were kept. */
function reused(memory: ChunkMemory, known: Set<ArrayBufferLike>, count: number): number {
  const taken = Array.from({ length: count }, () => memory.take());
  const found = taken.filter(({ buffer }) => known.has(buffer)).length;
  for (const chunk of taken) {
    known.add(chunk.buffer);
    memory.giveBack(chunk.subarray(0, 10));
  }
  return found;
}

it('uses chunks again, and ignores other memory', () => {
  const memory = new ChunkMemory();
  const known = new Set<ArrayBufferLike>();
  memory.giveBack(Buffer.alloc(CHUNK_BYTES));
  expect([reused(memory, known, 300), reused(memory, known, 300)]).toEqual([0, 256]);
});

it('drops what was not used for a while', () => {
  const memory = new ChunkMemory();
  const known = new Set<ArrayBufferLike>();
  reused(memory, known, 100);
  // The first look begins the count.
  for (let i = 0; i < 2; i++) {
    vi.advanceTimersByTime(5_000);
    reused(memory, known, 20);
  }
  vi.advanceTimersByTime(5_000);
  const kept = reused(memory, new Set(known), 100);
  expect(kept).toBeGreaterThanOrEqual(20);
  expect(kept).toBeLessThan(100);
});

it('stops looking when few are left', () => {
  const memory = new ChunkMemory();
  const known = new Set<ArrayBufferLike>();
  reused(memory, known, 100);
  vi.advanceTimersByTime(20_000);
  expect([vi.getTimerCount(), reused(memory, known, 20)]).toEqual([0, 8]);
});
