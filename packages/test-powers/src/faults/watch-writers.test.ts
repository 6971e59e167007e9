import { Buffer } from 'node:buffer';
import type { ResponseWriter } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { PlaneClock } from '../clock/plane-clock.js';
import { BookmarkDroppingWriter, LateBookmarkWriter } from './watch-writers.js';

const added = '{"type":"ADDED","object":{"data":{"a":"BOOKMARK"},"metadata":{}}}\n';
const bookmark = '{"type":"BOOKMARK","object":{}}\n';
const initial = '{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}\n';

/** A writer that keeps the texts. */
function listWriter(): ResponseWriter & { readonly texts: string[] } {
  const texts: string[] = [];
  const write = (chunk: Uint8Array) => void texts.push(Buffer.from(chunk).toString());
  return { texts, write, bufferedBytes: 0, drained: async () => {}, closed: false };
}

it('drops bookmarks, but not that behind the initial events', () => {
  const list = listWriter();
  const writer = new BookmarkDroppingWriter(list);
  for (const text of [added, bookmark, initial]) writer.write(Buffer.from(text));
  expect(list.texts).toEqual([added, initial]);
});

it('sends each bookmark late, however many are held', async () => {
  const clock = new PlaneClock('held');
  const list = listWriter();
  const writer = new LateBookmarkWriter(list, clock, 90_000);
  writer.write(Buffer.from(bookmark));
  await clock.advance('1m');
  writer.write(Buffer.from(bookmark));
  await clock.advance('30s');
  expect(list.texts).toEqual([bookmark]);
  await clock.advance('1m');
  expect(list.texts).toEqual([bookmark, bookmark]);
});

it('holds what follows the bookmark behind the initial events, as bytes that are buffered', async () => {
  const clock = new PlaneClock('held');
  const list = listWriter();
  const writer = new LateBookmarkWriter(list, clock, 60_000);
  writer.write(Buffer.from(added));
  writer.write(Buffer.from(initial));
  writer.write(Buffer.from(added));
  writer.write(Buffer.from(bookmark));
  expect(list.texts).toEqual([added]);
  expect(writer.bufferedBytes).toBe(initial.length + added.length + bookmark.length);
  const drained = writer.drained().then(() => list.texts.length);
  await clock.advance('1m');
  expect(list.texts).toEqual([added, initial, added]);
  expect(writer.bufferedBytes).toBe(0);
  await expect(drained).resolves.toBe(3);
  await clock.advance('1m');
  expect(list.texts).toEqual([added, initial, added, bookmark]);
});

it('sends nothing of what is held after it has stopped', async () => {
  const clock = new PlaneClock('held');
  const list = listWriter();
  const writer = new LateBookmarkWriter(list, clock, 60_000);
  for (const text of [bookmark, initial, added]) writer.write(Buffer.from(text));
  const drained = writer.drained();
  writer.stop();
  await drained;
  await clock.advance('1h');
  expect(list.texts).toEqual([]);
});

it('sends a bookmark late, unless an event overtakes it', async () => {
  const clock = new PlaneClock('held');
  const list = listWriter();
  const writer = new LateBookmarkWriter(list, clock, 60_000);
  writer.write(Buffer.from(bookmark));
  expect(list.texts).toEqual([]);
  await clock.advance('1m');
  expect(list.texts).toEqual([bookmark]);
  writer.write(Buffer.from(bookmark));
  writer.write(Buffer.from(added));
  await clock.advance('1m');
  expect(list.texts).toEqual([bookmark, added]);
});
