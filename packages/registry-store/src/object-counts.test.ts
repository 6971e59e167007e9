import { expect, it } from 'vitest';
import { ObjectCounts } from './object-counts.js';
import type { ObjectCounter } from './storage-provider.js';

const counter = (count: number | undefined, bytes: number | undefined, resource = 'as') =>
  ({ group: 'g', resource, cachedCount: () => count, storedBytes: () => bytes }) as unknown as ObjectCounter;

it('counts the objects of each resource, by the last counter of its name', () => {
  const counts = new ObjectCounts();
  const of = (resource: string, group = 'g') => counts.statsOf(group, resource);
  counts.add(counter(1, 7));
  counts.add(counter(4, 100));
  counts.add(counter(0, 100, 'bs'));
  counts.add(counter(undefined, 100, 'cs'));
  counts.add(counter(2, undefined, 'ds'));
  expect([of('as'), of('bs'), of('cs'), of('ds'), of('es'), of('as', 'h')]).toEqual([
    { count: 4, averageBytes: 25 },
    { count: 0, averageBytes: 0 },
    undefined,
    { count: 2, averageBytes: 0 },
    undefined,
    undefined,
  ]);
});

it('forgets a resource when its last counter ends', () => {
  const counts = new ObjectCounts();
  const observed: string[] = [];
  const [first, second] = [counter(1, 7), counter(2, 7)];
  const endFirst = counts.add(first);
  counts.observe({
    added: ({ resource }) => observed.push(`${resource} added`),
    removed: ({ resource }) => observed.push(`${resource} removed`),
  });
  const endSecond = counts.add(second);
  endFirst();
  expect([counts.has(first), counts.has(second), [...counts]]).toEqual([false, true, [second]]);
  endSecond();
  endSecond();
  expect([counts.has(second), counts.statsOf('g', 'as'), [...counts]]).toEqual([false, undefined, []]);
  expect(observed).toEqual(['as added', 'as removed']);
});
