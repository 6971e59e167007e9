import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FlushScheduler } from './flush-scheduler.js';

describe('FlushScheduler', () => {
  it('flushes each member once, when the turn ends', async () => {
    const scheduler = new FlushScheduler();
    const flushed: string[] = [];
    const member = (name: string) => ({ flush: () => void flushed.push(name), resume: () => {} });
    for (const name of ['a', 'b']) scheduler.flushLater(member(name));
    expect(flushed).toEqual([]);
    await nextTurn();
    await nextTurn();
    expect(flushed).toEqual(['a', 'b']);
  });

  it('dispatches 32 requests per turn, and resumes held members one after the other', async () => {
    const scheduler = new FlushScheduler();
    const turns: string[] = [];
    let number = 0;
    const connection = (name: string, requests: number) => {
      let left = requests;
      const member = {
        flush: () => {},
        resume: () => {
          while (left-- > 0) {
            turns.push(`${name}${number}`);
            if (scheduler.noteRequest()) {
              scheduler.hold(member);
              return;
            }
          }
        },
      };
      return member;
    };
    for (const [name, requests] of [
      ['a', 70],
      ['b', 10],
    ] as const)
      scheduler.hold(connection(name, requests));
    for (; number < 8; number++) await nextTurn();
    const counts = Object.groupBy(turns, (each) => each);
    expect(Object.values(counts).map((each) => each?.length)).toEqual([32, 10, 32, 6]);
    expect(Object.keys(counts).map((each) => each[0])).toEqual(['a', 'b', 'a', 'a']);
  });

  it('dispatches no more requests when a turn has lasted for a while', async () => {
    const scheduler = new FlushScheduler();
    expect(scheduler.noteRequest()).toBe(false);
    const begun = performance.now();
    while (performance.now() - begun < 6);
    expect(scheduler.noteRequest()).toBe(true);
    await nextTurn();
    expect(scheduler.noteRequest()).toBe(false);
  });
});
