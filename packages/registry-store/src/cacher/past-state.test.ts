import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { Change } from '../objects/change.js';
import { StoredEntry } from '../objects/stored-entry.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { undoChanges } from './past-state.js';

const { kind } = newWidgetContext({ store: createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 }) });
const entry = (key: string, revision: number) =>
  new StoredEntry<Widget>(kind, key, revision, { bytes: Buffer.from('{}'), stale: false });
const change = (key: string, revision: number, before: number, isDeleted = false) =>
  new Change<Widget>(key, revision, {
    current: isDeleted ? undefined : entry(key, revision),
    previous: before === 0 ? undefined : entry(key, before),
  });

/** The present entries by key and revision, and what they were before the changes. */
function undo(present: Readonly<Record<string, number>>, changes: readonly Change<Widget>[], limit: number) {
  const all = Object.entries(present).map(([key, revision]) => entry(key, revision));
  const range = {
    has: (key: string) => Object.hasOwn(present, key),
    count: all.length,
    entries: (most: number) => all.slice(0, most),
  };
  const { entries, count } = undoChanges(changes, range, limit);
  return [entries.map(({ key, revision }) => `${key}@${revision}`).join(' '), count];
}

it('has the states before the first change of each key, in key order', () => {
  expect([
    undo({ a: 1, c: 2 }, [], 9),
    undo({ a: 7, c: 2 }, [change('a', 6, 1), change('a', 7, 6)], 9),
    undo({ b: 2 }, [change('a', 6, 1, true), change('c', 7, 3, true)], 9),
    undo({ a: 6, b: 2, c: 7 }, [change('a', 6, 0), change('c', 7, 0)], 9),
    undo({ b: 2, d: 3 }, [change('e', 5, 1, true), change('c', 6, 1, true), change('a', 7, 1, true)], 9),
    undo({ b: 2 }, [change('a', 6, 0), change('a', 7, 6, true)], 9),
  ]).toEqual([
    ['a@1 c@2', 2],
    ['a@1 c@2', 2],
    ['a@1 b@2 c@3', 3],
    ['b@2', 1],
    ['a@1 b@2 c@1 d@3 e@1', 5],
    ['b@2', 1],
  ]);
});

it('has at least as many entries as are wanted', () => {
  const changes = [change('a', 8, 0), change('b', 9, 0)];
  expect(undo({ a: 8, b: 9, c: 1, d: 2, e: 3 }, changes, 2)).toEqual(['c@1 d@2', 3]);
});
