import { ManualClock } from '@apiserver/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import type { KeyValue, KeyValueStore, RangeRequest } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { make } from '../testing/suites/storage-suite-fixture.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetContext, WIDGETS } from '../testing/widget-cache.js';
import { readAll } from './read-all.js';

const clock = new ManualClock();
const end = '/registry/example.com/widgets0';
const keyAt = (index: number) => `${WIDGETS}ns/w${String(index).padStart(5, '0')}`;

/** A store whose range has pages of these sizes, of objects with this many bytes, and the requests that it got. */
function paged(sizes: readonly number[], bytes: number, count: number | undefined) {
  const plain = JSON.stringify(make('ns/w', { spec: { color: '' } }));
  const value = Buffer.from(plain.replace('"color":""', `"color":"${'x'.repeat(bytes - plain.length)}"`));
  const requests: RangeRequest[] = [];
  let first = 0;
  const range = async (request: RangeRequest) => {
    const size = sizes[requests.length] ?? 0;
    const kvs: KeyValue[] = Array.from({ length: size }, (_, i) => ({ key: keyAt(first + i), value, modRevision: 7 }));
    first += size;
    requests.push(request);
    return { kvs, more: requests.length < sizes.length, count, revision: 9 };
  };
  const { scan: _, ...inner } = createMemoryStore({ clock, compactionInterval: 0 }) as KeyValueStore;
  return { requests, store: { ...inner, range } as KeyValueStore };
}

async function read(store: KeyValueStore) {
  const taken: string[] = [];
  const allocate = (length: number) => Buffer.alloc(length);
  const take = ({ key }: { key: string }) => void taken.push(key);
  return { revision: await readAll<Widget>(newWidgetContext({ store }), { allocate, take }), taken };
}

describe('the pages of a store without a scan', () => {
  it('begin after the last key, at the revision of the first', async () => {
    const { store, requests } = paged([250, 1000, 3], 200, undefined);
    const { revision, taken } = await read(store);
    expect([revision, taken.length, taken.at(-1)]).toEqual([9, 1253, 'ns/w01252']);
    expect(requests).toEqual([
      { start: WIDGETS, limit: 250, end },
      { start: `${keyAt(249)}\0`, limit: 1000, revision: 9, end },
      { start: `${keyAt(1249)}\0`, limit: 4000, revision: 9, end },
    ]);
  });

  it.each<readonly [string, number, number, number | undefined, number]>([
    ['four times as many', 250, 1_000, 5_000, 1_000],
    ['as many as eight megabytes hold', 100, 100_000, 1_000, 84],
    ['a part of sixteen of a large resource', 200, 40_000, 6_000, 375],
    ['as many as 32 megabytes hold', 250, 40_000, 100_000, 839],
    ['forty thousand', 11_000, 200, 99_000, 40_000],
    ['as many as eight megabytes hold, if the number of all is unknown', 100, 100_000, undefined, 84],
  ])('grow: the next one has %s', async (_, ...[size, bytes, count, limit]) => {
    const { store, requests } = paged([size, 1], bytes, count);
    await read(store);
    expect(requests.map((request) => request.limit)).toEqual([250, limit]);
  });

  it('are empty for a resource without objects', async () => {
    const { store, requests } = paged([0], 200, 0);
    expect([await read(store), requests.length]).toEqual([{ revision: 9, taken: [] }, 1]);
  });
});
