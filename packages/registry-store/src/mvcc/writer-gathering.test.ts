import { expect, it } from 'vitest';
import { WriterGathering } from './writer-gathering.js';

/** A gathering with the test's time and timers. */
function gathering() {
  const timers: { readonly milliseconds: number; readonly fire: () => void; cancelled: boolean }[] = [];
  let now = 0;
  const made = new WriterGathering(
    (fire, milliseconds) => {
      const timer = { milliseconds, fire, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
    () => now,
  );
  return { made, timers, pass: (milliseconds: number) => (now += milliseconds) };
}

const isSettled = (promise: Promise<void>) =>
  Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(resolve, false))]);

it('waits until as many wait as wrote recently', async () => {
  const { made, timers } = gathering();
  made.committed(9, 7, 2.5);
  const gathered = made.gather(7) as Promise<void>;
  for (let waiting = 8; waiting < 16; waiting++) made.came(waiting);
  expect(await isSettled(gathered)).toBe(false);
  made.came(16);
  expect([await isSettled(gathered), timers.map(({ milliseconds, cancelled }) => [milliseconds, cancelled])]).toEqual([
    true,
    [[3, true]],
  ]);
});

it.each([
  ['as long as the last commit took', 1.2, 2],
  ['a few milliseconds at most', 80, 5],
])('waits %s', async (_, took, expected) => {
  const { made, timers } = gathering();
  made.committed(16, 16, took);
  const gathered = made.gather(16) as Promise<void>;
  expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([expected]);
  timers[0]?.fire();
  expect(await isSettled(gathered)).toBe(true);
});

it('waits the less often, the more waits were in vain, and again after one that was not', () => {
  const { made, timers } = gathering();
  /** Commits that begin at once before the next wait. */
  const passed = () => {
    for (let commits = 0; ; commits++) {
      made.committed(16, 0, 2);
      if (made.gather(1) !== undefined) return commits;
    }
  };
  const inVain = Array.from({ length: 9 }, () => {
    const commits = passed();
    timers.at(-1)?.fire();
    return commits;
  });
  const last = passed();
  made.came(16);
  expect({ inVain, last, next: passed() }).toEqual({ inVain: [0, 1, 3, 7, 15, 31, 63, 63, 63], last: 63, next: 0 });
});

it.each([
  ['before the first commit', { writes: 0, came: 0, took: 0 }, 1, 0],
  ['for few writers', { writes: 2, came: 1, took: 2 }, 1, 0],
  ['when all are there', { writes: 16, came: 16, took: 2 }, 32, 0],
  ['where commits are quick', { writes: 16, came: 16, took: 0.2 }, 16, 0],
  ['long after a commit', { writes: 16, came: 16, took: 2 }, 1, 2.5],
])('does not wait %s', (_, { writes, came, took }, waiting, later) => {
  const { made, pass } = gathering();
  made.committed(writes, came, took);
  pass(later);
  expect(made.gather(waiting)).toBeUndefined();
});

it.each([
  ['of one who writes alone', { latest: 1, first: 1, turns: [], turn: 0 }, 1],
  ['of several of one turn', { latest: 0, first: 2, turns: [], turn: 0 }, 2],
  ['after a commit of several', { latest: 6, first: 1, turns: [2, 3, 1], turn: 0 }, 7],
  ['until a turn brings none', { latest: 6, first: 1, turns: [2, 0, 3], turn: 0 }, 3],
  ['for some turns at most', { latest: 6, first: 1, turns: Array(20).fill(1), turn: 0 }, 8],
  ['for a few milliseconds at most', { latest: 6, first: 1, turns: Array(20).fill(1), turn: 2 }, 4],
])('gathers a burst %s', async (_, { latest, first, turns, turn }, expected) => {
  const { made, pass } = gathering();
  if (latest > 0) made.committed(latest, 0, 1);
  let waiting = first;
  made.came(waiting);
  let isOver = false;
  const over = made.burst().then(() => {
    isOver = true;
  });
  for (const more of turns) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver) break;
    pass(turn);
    waiting += more;
    if (more > 0) made.came(waiting);
  }
  await over;
  expect(waiting).toBe(expected);
});
