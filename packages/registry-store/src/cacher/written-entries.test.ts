import { ManualClock } from '@apiserver/apimachinery/testing';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { StoredEntry } from '../objects/stored-entry.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { WrittenEntries } from './written-entries.js';

const { kind } = newWidgetContext({ store: createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 }) });
const entry = (key: string, revision: number) =>
  new StoredEntry<Widget>(kind, key, revision, { bytes: Buffer.from('{}'), stale: false });

it('keeps a written entry until its change arrives or is passed over', () => {
  const entries = new WrittenEntries<Widget>();
  const [third, fourth, sixth] = [entry('ns/a', 3), entry('ns/b', 4), entry('ns/a', 6)];
  for (const written of [fourth, third, sixth]) entries.add(written);
  const takes: readonly (readonly [key: string, revision: number])[] = [
    ['ns/a', 2],
    ['ns/b', 3],
    ['ns/a', 3],
    ['ns/a', 3],
    ['ns/c', 5],
    ['ns/b', 4],
    ['ns/a', 6],
  ];
  expect(takes.map(([key, revision]) => entries.take(key, revision))).toEqual([
    undefined,
    undefined,
    third,
    undefined,
    undefined,
    undefined,
    sixth,
  ]);
});

it('drops the oldest of many whose changes never arrive', () => {
  const entries = new WrittenEntries<Widget>();
  const written = Array.from({ length: 300 }, (_, index) => entry(`ns/${index}`, index + 1));
  for (const one of written) entries.add(one);
  const found = written.map(({ key, revision }) => entries.take(key, revision));
  expect(found.filter((one) => one !== undefined)).toEqual(written.slice(-256));
});
