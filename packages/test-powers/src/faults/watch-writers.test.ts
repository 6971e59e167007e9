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
