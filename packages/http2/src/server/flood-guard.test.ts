import { describe, expect, it } from 'vitest';
import { FloodGuard } from './flood-guard.js';

const times = (count: number, call: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => call(index));

describe('FloodGuard', () => {
  it('asks a client with fast resets once to move, and ends its connection if it continues', () => {
    const guard = new FloodGuard();
    const responses = times(1_000, () => guard.noteReset(0));
    expect([responses.indexOf(true), responses.filter(Boolean).length]).toEqual([799, 1]);
    expect(() => guard.noteReset(0)).toThrow('too fast');
  });

  it('ignores slow resets', () => {
    const guard = new FloodGuard();
    expect(times(5_000, (index) => guard.noteReset(index * 40)).includes(true)).toBe(false);
  });

  it('tolerates empty frames at a low rate', () => {
    const guard = new FloodGuard();
    times(50_000, (index) => guard.noteIdleFrame(index));
    expect(() => times(11_000, () => guard.noteIdleFrame(50_000))).toThrow('carry nothing');
  });

  it('tolerates any number of pings whose acknowledgements are read', () => {
    const guard = new FloodGuard();
    times(9_000, () => guard.noteUnreadReply());
    guard.repliesRead();
    times(10_000, () => guard.noteUnreadReply());
    expect(() => guard.noteUnreadReply()).toThrow('does not listen');
  });
});
