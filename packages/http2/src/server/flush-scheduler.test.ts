import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FlushMember, FlushScheduler } from './flush-scheduler.js';

const idle: FlushMember = { waitingBytes: 0, flush: () => {}, resume: () => {}, readAgain: () => {} };

let time: number;
beforeEach(() => {
  time = 1;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
});
afterEach(() => void vi.restoreAllMocks());

describe('FlushScheduler', () => {
  it('flushes each member once, when the turn ends', async () => {
    const scheduler = new FlushScheduler();
    const flushed: string[] = [];
    const member = (name: string) => ({
      ...idle,
      flush: () => void flushed.push(name),
    });
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
      const member: FlushMember = {
        ...idle,
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
    time += 6;
    expect(scheduler.noteRequest()).toBe(true);
    await nextTurn();
    expect(scheduler.noteRequest()).toBe(false);
  });

  it('flushes long responses after short ones, for a while in each turn', async () => {
    const scheduler = new FlushScheduler();
    const flushed: string[] = [];
    const member = (name: string, waitingBytes: number): FlushMember => ({
      ...idle,
      waitingBytes,
      flush: () => {
        flushed.push(name);
        if (waitingBytes > 0) time += 1.5;
      },
    });
    for (const name of ['l1', 'l2', 'l3']) scheduler.flushLater(member(name, 1024 * 1024));
    scheduler.flushFirst(member('events', 1024 * 1024));
    scheduler.flushLater(member('short', 0));
    await nextTurn();
    const first = [...flushed];
    await nextTurn();
    expect([first, flushed]).toEqual([
      ['short', 'events', 'l1'],
      ['short', 'events', 'l1', 'l2', 'l3'],
    ]);
  });

  it('flushes a connection once in a round, however often it has output', async () => {
    const scheduler = new FlushScheduler();
    const flushed: string[] = [];
    const member = (name: string): FlushMember => ({
      ...idle,
      waitingBytes: 1024 * 1024,
      flush: () => {
        flushed.push(name);
        time += 2;
      },
    });
    const greedy = member('greedy');
    scheduler.flushLater(greedy);
    scheduler.flushFirst(greedy);
    scheduler.flushLater(member('other'));
    for (let turn = 0; turn < 4; turn++) await nextTurn();
    expect(flushed).toEqual(['greedy', 'other']);
  });

  it('dispatches requests outside of the context of another one', async () => {
    const request = new AsyncLocalStorage<string>();
    const scheduler = new FlushScheduler();
    const seen: unknown[] = [];
    request.run('first', () => scheduler.flushLater(idle));
    scheduler.hold({ ...idle, resume: () => void seen.push(request.getStore()) });
    await nextTurn();
    expect(seen).toEqual([undefined]);
  });

  it('flushes the next part of a long response at once only while it takes little of a turn', async () => {
    const scheduler = new FlushScheduler();
    const flushed: string[] = [];
    const member = (waitingBytes: number): FlushMember => ({
      ...idle,
      waitingBytes,
      flush: () => {
        flushed.push(waitingBytes > 0 ? 'long' : 'short');
        time += 0.6;
      },
    });
    const long = member(1024 * 1024);
    for (let part = 0; part < 3; part++) scheduler.flushNext(long);
    scheduler.flushNext(member(0));
    const before = [...flushed];
    await nextTurn();
    expect([before, flushed]).toEqual([
      ['long', 'long', 'short'],
      ['long', 'long', 'short', 'long'],
    ]);
  });

  it('lets members that send much read again, four in a turn', async () => {
    const scheduler = new FlushScheduler();
    const read: number[] = [];
    const members = Array.from({ length: 6 }, (_, i) => ({ ...idle, readAgain: () => void read.push(i) }));
    expect(scheduler.mayRead(64 * 1024 - 1, idle)).toBe(true);
    expect(members.map((member) => scheduler.mayRead(64 * 1024, member))).not.toContain(true);
    const { turn } = scheduler;
    await nextTurn();
    const first = [...read];
    await nextTurn();
    expect([first, read, scheduler.turn - turn]).toEqual([[0, 1, 2, 3], [0, 1, 2, 3, 4, 5], 2]);
  });
});
