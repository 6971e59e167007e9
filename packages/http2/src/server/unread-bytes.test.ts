import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { UnreadBytes } from './unread-bytes.js';

const long = -10_000;

it.each<[string, readonly (readonly [name: string, bytes: number, stuckSince?: number])[], readonly string[]]>([
  [
    'nobody while there is room',
    [
      ['a', 60],
      ['b', 40, long],
    ],
    [],
  ],
  [
    'those who do not read before those who do',
    [
      ['a', 70],
      ['b', 26, long],
      ['c', 10, long],
    ],
    ['b', 'c'],
  ],
  [
    'the largest first',
    [
      ['a', 30],
      ['b', 40],
      ['c', 35],
    ],
    ['b'],
  ],
  [
    'of those who read no more than must go',
    [
      ['a', 30],
      ['b', 40],
      ['c', 80],
      ['stuck', 1, long],
    ],
    ['stuck', 'c'],
  ],
  [
    'a small one that pauses before a large one that reads',
    [
      ['reads', 90],
      ['pauses', 11, -500],
    ],
    ['pauses'],
  ],
  [
    'nobody for whom nothing waits',
    [
      ['idle', 0, long],
      ['a', 101],
    ],
    ['a'],
  ],
])('disconnects %s', async (_whom, readers, expected) => {
  const unread = new UnreadBytes(100);
  const gone: string[] = [];
  for (const [name, bytes, stuckSince] of readers) {
    const reader = {
      unreadBytes: bytes,
      stuckSince: (now: number) => (stuckSince === undefined ? undefined : now + stuckSince),
      cutOff: () => {
        gone.push(name);
        unread.removeReader(reader);
        unread.add(-bytes);
      },
    };
    unread.addReader(reader);
  }
  for (const [, bytes] of readers) unread.add(bytes);
  await nextTurn();
  await nextTurn();
  expect(gone).toEqual(expected);
});
