import { TimeSlice } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { prefixEnd } from '../key-value-store.js';
import { MemoryTables } from '../memory/memory-tables.js';
import { createEmbeddedStore } from './embedded-store.js';
import type { MvccTables } from './tables.js';

const folder = { start: '/k/', end: prefixEnd('/k/') };
const key = (i: number) => `/k/${String(i).padStart(3, '0')}`;

afterEach(() => vi.restoreAllMocks());

async function storeWith(count: number, tables: MvccTables = new MemoryTables()) {
  const store = createEmbeddedStore(tables, { clock: new ManualClock(), compactionInterval: 0 });
  const put = (i: number, expectedRevision = 0) =>
    store.commit({ type: 'put', key: key(i), value: Buffer.from(String(i)), expectedRevision });
  await Promise.all(Array.from({ length: count }, (_, i) => put(i)));
  return { store, put };
}

/** In each pause of a read, `work` is done. */
function inPauses(work: () => Promise<unknown>) {
  vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(true);
  return vi.spyOn(TimeSlice.prototype, 'yield').mockImplementation(async () => void (await work()));
}

describe('a range', () => {
  it.each([
    [127, 0],
    [128, 1],
    [129, 1],
    [300, 2],
  ])('of %i keys is whole, with %i pauses', async (count, expected) => {
    const { store } = await storeWith(count);
    const pauses = inPauses(async () => {});
    const { kvs, more, count: counted } = await store.range(folder);
    expect(kvs.map((kv) => kv.key)).toEqual(Array.from({ length: count }, (_, i) => key(i)));
    expect([more, counted, pauses.mock.calls.length]).toEqual([false, count, expected]);
    await store[Symbol.asyncDispose]();
  });

  it('makes no pause within its time', async () => {
    const { store } = await storeWith(300);
    const pauses = inPauses(async () => {});
    vi.spyOn(TimeSlice.prototype, 'over', 'get').mockReturnValue(false);
    await store.range(folder);
    await store.scan?.(folder, () => {});
    expect(pauses).not.toHaveBeenCalled();
    await store[Symbol.asyncDispose]();
  });

  it('ends if its revision is compacted in a pause', async () => {
    const { store, put } = await storeWith(200);
    inPauses(async () => {
      vi.restoreAllMocks();
      await put(199, 201);
      await store.compact(202);
    });
    await expect(store.range(folder)).rejects.toMatchObject({ keyValueErrorCode: 'Compacted', revision: 202 });
    await store[Symbol.asyncDispose]();
  });

  it.each([
    [{ limit: 2 }, 2, true, undefined],
    [{ limit: 2, count: true }, 2, true, 300],
    [{ limit: 299 }, 299, true, undefined],
    [{ limit: 300 }, 300, false, 300],
    [{ limit: 301, count: true }, 300, false, 300],
    [{}, 300, false, 300],
  ])('with %o has the right number of keys, and says if there are more', async (request, length, more, count) => {
    const { store } = await storeWith(300);
    const read = await store.range({ ...folder, ...request });
    expect([read.kvs.length, read.more, read.count]).toEqual([length, more, count]);
    await store[Symbol.asyncDispose]();
  });

  it('does not count what is deleted, or was not there at its revision', async () => {
    const { store, put } = await storeWith(4);
    await store.commit({ type: 'delete', key: key(3), expectedRevision: 5 });
    await put(4);
    const read = async (revision: number) => {
      const { kvs, more, count } = await store.range({ ...folder, revision, limit: 2, count: true });
      return [kvs.length, more, count];
    };
    expect([await read(3), await read(4), await read(5), await read(6), await read(7)]).toEqual([
      [2, false, 2],
      [2, true, 3],
      [2, true, 4],
      [2, true, 3],
      [2, true, 4],
    ]);
    await store[Symbol.asyncDispose]();
  });
});

describe('a scan', () => {
  const visited = async (store: Awaited<ReturnType<typeof storeWith>>['store']) => {
    const seen: string[] = [];
    await store.scan?.(folder, (kv) => void seen.push(kv.key));
    return seen;
  };

  it.each([128, 129, 300])('of %i keys visits each once, in order', async (count) => {
    const { store } = await storeWith(count);
    inPauses(async () => {});
    expect(await visited(store)).toEqual(Array.from({ length: count }, (_, i) => key(i)));
    await store[Symbol.asyncDispose]();
  });

  it('looks at the clock before every eighth key', async () => {
    const { store } = await storeWith(20);
    const seen: string[] = [];
    inPauses(async () => void seen.push('pause'));
    await store.scan?.({ start: '/k/', end: key(10) }, (kv) => void seen.push(kv.key));
    const keys = Array.from({ length: 10 }, (_, i) => key(i));
    expect(seen).toEqual(['pause', ...keys.slice(0, 8), 'pause', ...keys.slice(8)]);
    await store[Symbol.asyncDispose]();
  });

  it('ends if its revision is compacted in a pause', async () => {
    const { store, put } = await storeWith(4);
    inPauses(async () => {
      vi.restoreAllMocks();
      await put(3, 5);
      await store.compact(6);
    });
    await expect(store.scan?.(folder, () => {})).rejects.toMatchObject({ keyValueErrorCode: 'Compacted' });
    await store[Symbol.asyncDispose]();
  });

  it('takes lent values of the versions that are the newest, and reads all others', async () => {
    class LendingTables extends MemoryTables {
      readonly lent: string[] = [];
      lendValue(lentKey: string, revision: number): Uint8Array | undefined {
        this.lent.push(`${lentKey}@${revision}`);
        return lentKey === key(1) ? undefined : Buffer.from('lent');
      }
    }
    const tables = new LendingTables();
    const { store, put } = await storeWith(5, tables);
    await store.commit({ type: 'delete', key: key(4), expectedRevision: 6 });
    const readIndex = tables.scanIndex.bind(tables);
    vi.spyOn(tables, 'scanIndex').mockImplementation((...range) =>
      readIndex(...range).map((record) => (record.key === key(2) ? { ...record, damaged: true } : record)),
    );
    const seen: string[] = [];
    const scanned = store.scan?.(folder, async ({ key: seenKey, value, damage }) => {
      seen.push(`${seenKey} ${damage === undefined ? Buffer.from(value) : 'damaged'}`);
      if (seenKey === key(0)) await put(3, 5);
    });
    await scanned;
    expect(seen).toEqual([`${key(0)} lent`, `${key(1)} 1`, `${key(2)} damaged`, `${key(3)} lent`]);
    expect(tables.lent).toEqual([`${key(0)}@2`, `${key(1)}@3`, `${key(3)}@5`]);
    await store[Symbol.asyncDispose]();
  });
});
