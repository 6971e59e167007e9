import { describe, expect, it } from 'vitest';
import { Change } from '../objects/change.js';
import { EventWindow, type WindowBounds } from './event-window.js';

const bounds: WindowBounds = { minChanges: 4, maxChanges: 16, maxBytes: 100_000, freshMs: 75_000 };

/** A window that receives a change at each of these seconds; returns its capacities. */
function fill(seconds: readonly number[], changes: Partial<WindowBounds> = {}) {
  let now = 0;
  const capacities: number[] = [];
  const window = new EventWindow({
    bounds: { ...bounds, ...changes },
    now: () => now,
    resized: (_, capacity) => void capacities.push(capacity),
  });
  window.reset(0);
  for (const [i, second] of seconds.entries()) {
    now = second * 1000;
    window.add(new Change(`k${i}`, i + 1, { current: undefined, previous: undefined }));
  }
  return { size: window.size, complete: window.complete, capacities };
}

const every = (step: number, count: number) => Array.from({ length: count }, (_, i) => i * step);

describe('EventWindow', () => {
  it.each([
    ['keeps the least while changes are rare', every(100, 10), {}, { size: 4, complete: 6, capacities: [4] }],
    [
      'grows while fresh changes would be pushed out',
      every(1, 10),
      {},
      { size: 10, complete: 0, capacities: [4, 8, 16] },
    ],
    ['grows to its bound and no further', every(1, 40), {}, { size: 16, complete: 24, capacities: [4, 8, 16] }],
    [
      'shrinks when a quarter of it would do',
      [...every(1, 16), ...every(100, 20).map((second) => second + 100)],
      {},
      { size: 4, complete: 32, capacities: [4, 8, 16, 8, 4] },
    ],
    [
      'does not grow for a change that is just not fresh',
      [...every(1, 4), 75],
      {},
      { size: 4, complete: 1, capacities: [4] },
    ],
    [
      'does not shrink while three quarters are just fresh',
      [...every(1, 8), 81],
      {},
      { size: 8, complete: 1, capacities: [4, 8] },
    ],
    ['keeps as many bytes as it may', every(1, 10), { maxBytes: 1500 }, { size: 6, complete: 4, capacities: [4, 8] }],
    [
      'is bounded in bytes too, down to the least',
      every(1, 40),
      { maxBytes: 1 },
      { size: 4, complete: 36, capacities: [4, 8] },
    ],
  ])('%s', (_, seconds, changes, expected) => {
    expect(fill(seconds, changes)).toEqual(expected);
  });

  it('never splits a revision', () => {
    const window = new EventWindow({ bounds: { ...bounds, minChanges: 100 }, now: () => 0, resized: () => {} });
    for (const revision of [1, 2, 2, 2, 3]) {
      window.add(new Change('k', revision, { current: undefined, previous: undefined }));
    }
    expect([0, 1, 2].map((after) => window.after(after, 2)?.map(({ revision }) => revision))).toEqual([
      [1, 2, 2, 2],
      [2, 2, 2],
      [3],
    ]);
  });

  it('finds a change by its key and revision', () => {
    const window = new EventWindow({ bounds, now: () => 0, resized: () => {} });
    window.reset(1);
    const change = (key: string, revision: number) =>
      new Change(key, revision, { current: undefined, previous: undefined });
    const changes = [change('a', 2), change('b', 4), change('a', 4), change('a', 5)];
    for (const one of changes) window.add(one);
    const found = (key: string, revision: number) => {
      const change = window.changeOf(key, revision);
      return change === undefined ? undefined : changes.indexOf(change);
    };
    expect([found('a', 2), found('a', 4), found('b', 4), found('a', 5)]).toEqual([0, 2, 1, 3]);
    expect([found('b', 2), found('a', 3), found('b', 5), found('a', 6)]).toEqual(new Array(4).fill(undefined));
  });

  it('counts bytes of what it has, and forgets all at a reset', () => {
    const window = new EventWindow({ bounds, now: () => 0, resized: () => {} });
    const add = (revision: number) =>
      window.add(new Change('k', revision, { current: undefined, previous: undefined }));
    for (const revision of [3, 5]) add(revision);
    expect([window.size, window.bytes, window.complete]).toEqual([2, 500, 0]);
    window.reset(4);
    expect([window.size, window.bytes, window.complete, window.after(3, 9), window.after(4, 9)]).toEqual([
      ...[0, 0, 4],
      undefined,
      [],
    ]);
    for (const revision of [3, 4, 5]) add(revision);
    expect([window.size, window.after(4, 9)?.map(({ revision }) => revision), window.after(5, 9)]).toEqual([
      1,
      [5],
      [],
    ]);
  });

  it('drops the bytes of changes with them', () => {
    const window = new EventWindow({
      bounds: { ...bounds, maxChanges: 4 },
      now: () => 0,
      resized: () => {},
    });
    for (let revision = 1; revision <= 9; revision++) {
      window.add(new Change('k', revision, { current: undefined, previous: undefined }));
    }
    expect([window.size, window.bytes, window.complete]).toEqual([4, 1000, 5]);
    expect(window.after(6, 1)?.map(({ revision }) => revision)).toEqual([7]);
  });
});
