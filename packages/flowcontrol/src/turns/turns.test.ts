import { expect, it } from 'vitest';
import { ManualLoop } from '../testing/manual-loop.js';
import { Turns, type TurnTaker } from './turns.js';

function setUp() {
  const loop = new ManualLoop();
  return { loop, turns: new Turns(loop) };
}

/** A taker with this many pieces of work. */
function taker(
  loop: ManualLoop,
  log: string[],
  name: string,
  { pieces = 100, milliseconds = 1, weight = 1 } = {},
): TurnTaker {
  let left = pieces;
  return {
    weight,
    take: () => {
      if (left === 0) return false;
      left--;
      log.push(name);
      loop.time += milliseconds;
      return true;
    },
  };
}

it('begins work at once while little is to do in a turn', () => {
  const { loop, turns } = setUp();
  const can = () => [turns.mayStart(loop.time), turns.mayPrecede(loop.time)];
  const seen = [0, 1.9, 2, 3.9, 4].map((time) => {
    loop.time = time;
    return can();
  });
  expect(seen).toEqual([
    [true, true],
    [true, true],
    [false, true],
    [false, true],
    [false, false],
  ]);
  loop.turn();
  expect([can(), loop.turn(), loop.turn()]).toEqual([[true, true], true, false]);
});

it('divides turns by weight', () => {
  const { loop, turns } = setUp();
  const log: string[] = [];
  turns.waitToStart(taker(loop, log, 'heavy', { weight: 3 }));
  turns.waitToStart(taker(loop, log, 'light'));
  for (let i = 0; i < 4; i++) loop.turn();
  expect([log.length, log.filter((name) => name === 'heavy').length]).toEqual([8, 6]);
});

it('gives no credit for idleness, and forgets no debt', () => {
  const { loop, turns } = setUp();
  const log: string[] = [];
  const greedy = taker(loop, log, 'greedy');
  turns.waitToStart(greedy);
  for (let i = 0; i < 5; i++) loop.turn();
  log.length = 0;
  turns.waitToStart(taker(loop, log, 'late'));
  loop.turn();
  loop.turn();
  expect(log.filter((name) => name === 'late').length).toBe(2);
});

it('ends when nobody has work any more', () => {
  const { loop, turns } = setUp();
  const log: string[] = [];
  turns.waitToStart(taker(loop, log, 'short', { pieces: 3 }));
  while (loop.turn());
  turns.waitToStart(taker(loop, log, 'again', { pieces: 1 }));
  while (loop.turn());
  expect(log).toEqual(['short', 'short', 'short', 'again']);
});
