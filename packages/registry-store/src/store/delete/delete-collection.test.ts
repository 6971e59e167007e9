import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { describe, expect, it, vi } from 'vitest';
import { createTestStore } from '../../testing/test-store.js';
import { testContext, type Widget, widget } from '../../testing/widget.js';

const admitted = async () => {};

describe('deleteCollection', () => {
  const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector };

  async function three(options: Parameters<typeof createTestStore>[0] = {}) {
    const test = createTestStore(options);
    for (const name of ['a', 'b', 'c']) await test.store.create(testContext(), widget({ name }), admitted, {});
    const names = async () =>
      (await test.store.list(testContext(), everything)).items.map((i) => i.object.metadata.name);
    return { ...test, names };
  }

  it.each([1, 2, 8])('deletes all and returns them, with %d workers', async (deleteCollectionWorkers) => {
    const { store, names } = await three({ deleteCollectionWorkers });
    const list = await store.deleteCollection(testContext(), admitted, {}, everything);
    expect(list.items.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c']);
    expect(await names()).toEqual([]);
  });

  it.each([
    [undefined, 1],
    [0, 1],
    [2, 2],
    [8, 3],
  ])('of three objects, %s workers delete %d at a time', async (workers, expected) => {
    const { store } = await three(workers === undefined ? {} : { deleteCollectionWorkers: workers });
    let [now, most] = [0, 0];
    const admit = async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
    };
    await store.deleteCollection(testContext(), admit, {}, everything);
    expect(most).toBe(expected);
  });

  it('deletes one page if the client limits it', async () => {
    const { store, storage, names } = await three();
    const { list } = storage;
    const all = await list('ns/', everything);
    const asked = vi.spyOn(storage, 'list');
    asked.mockResolvedValueOnce({ ...all, items: all.items.slice(0, 1), continue: 'token' });
    const page = await store.deleteCollection(testContext(), admitted, {}, { ...everything, limit: 1 });
    expect([page.items.length, page.continue, asked.mock.calls]).toEqual([
      1,
      'token',
      [['ns/', { ...everything, limit: 1 }]],
    ]);
    asked.mockRestore();
    expect(await names()).toEqual(['b', 'c']);
  });

  it('asks for the next page by its token only', async () => {
    const { store, storage } = await three();
    const { items, resourceVersion } = await storage.list('ns/', everything);
    const list = vi.spyOn(storage, 'list');
    list.mockResolvedValueOnce({ items: items.slice(0, 2), resourceVersion, continue: 'token' });
    list.mockResolvedValueOnce({ items: items.slice(2), resourceVersion, continue: '' });
    const version = { resourceVersion, resourceVersionMatch: 'Exact' };
    await store.deleteCollection(testContext(), admitted, {}, { ...everything, ...version });
    expect(list.mock.calls).toStrictEqual([
      ['ns/', { ...everything, limit: 10_000, resourceVersion, match: 'Exact' }],
      ['ns/', { ...everything, limit: 10_000, continue: 'token' }],
    ]);
  });

  it('returns several pages with the metadata of the first', async () => {
    const { store, storage, names } = await three();
    const all = await storage.list('ns/', everything);
    const { list } = storage;
    const limits: (number | undefined)[] = [];
    storage.list = async (_prefix, options) => {
      limits.push(options.limit);
      if (options.continue === 'token') return { ...all, items: all.items.slice(2) };
      return { ...all, items: all.items.slice(0, 2), continue: 'token', remainingItemCount: 1 };
    };
    const { items, ...metadata } = await store.deleteCollection(testContext(), admitted, {}, everything);
    storage.list = list;
    expect([items, metadata, limits]).toEqual([
      all.items,
      { resourceVersion: all.resourceVersion, continue: 'token', remainingItemCount: 1 },
      [10_000, 10_000],
    ]);
    expect(await names()).toEqual([]);
  });

  it('reads no further page after an abort', async () => {
    const { store, storage } = await three();
    const { items, ...all } = await storage.list('ns/', everything);
    const client = new AbortController();
    let pages = 0;
    storage.list = async () => {
      pages++;
      return { ...all, items: items.slice(0, 1), continue: 'token' };
    };
    const leave = async () => client.abort(new Error('the client left'));
    const deletion = store.deleteCollection(testContext({ signal: client.signal }), leave, {}, everything);
    await expect(deletion).rejects.toThrow('the client left');
    expect(pages).toBe(1);
  });

  it('stops at the first rejection', async () => {
    const { store, names } = await three();
    const refuseB = async ({ metadata }: Widget) => {
      if (metadata.name === 'b') throw new Error('not b');
    };
    await expect(store.deleteCollection(testContext(), refuseB, {}, everything)).rejects.toThrow('not b');
    expect(await names()).toEqual(['b', 'c']);
  });

  it('deletes up to 32 objects before the first commit, in their order, each after its admission', async () => {
    const { store, storage, names } = await three();
    for (let i = 0; i < 37; i++) await store.create(testContext(), widget({ name: `d${i}` }), admitted, {});
    const order: string[] = [];
    const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
    const remove = storage.delete;
    storage.delete = async (key, preconditions, validate) => {
      order.push(`begin ${key}`);
      const object = await remove(key, preconditions, validate);
      await committed;
      return object;
    };
    const admit = async ({ metadata }: Widget) => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`admit ns/${metadata.name}`);
    };
    const all = (await names()).map((name) => `ns/${name}`);
    const deletion = store.deleteCollection(testContext(), admit, {}, everything);
    const steps = (keys: readonly string[]) => keys.flatMap((key) => [`begin ${key}`, `admit ${key}`]);
    await vi.waitFor(() => expect(order).toHaveLength(64), 30_000);
    expect(order).toEqual(steps(all.slice(0, 32)));
    commit();
    await deletion;
    expect(order).toEqual(steps(all));
  });

  it('reports a failed commit when the others have ended, and begins no further deletion', async () => {
    const { store, storage, names } = await three();
    const remove = storage.delete;
    const ended: string[] = [];
    storage.delete = async (key, preconditions, validate) => {
      if (key === 'ns/b') throw new Error('no commit of b');
      const object = await remove(key, preconditions, validate);
      await new Promise((resolve) => setImmediate(resolve));
      ended.push(key);
      return object;
    };
    await expect(store.deleteCollection(testContext(), admitted, {}, everything)).rejects.toThrow('no commit of b');
    expect([ended, await names()]).toEqual([['ns/a'], ['b', 'c']]);
  });

  it('begins no deletion after one that is refused when it is tried again', async () => {
    const { store, storage, names } = await three();
    await store.create(testContext(), widget({ name: 'd' }), admitted, {});
    storage.beforeCommit = async () => {
      storage.beforeCommit = undefined;
      await storage.guaranteedUpdate('ns/a', {}, async () => ({ object: widget({ name: 'a', labels: { b: 'c' } }) }));
    };
    const tried: string[] = [];
    const refuseSecond = async ({ metadata }: Widget) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (tried.includes(metadata.name ?? '')) throw new Error('not again');
      tried.push(metadata.name ?? '');
    };
    await expect(store.deleteCollection(testContext(), refuseSecond, {}, everything)).rejects.toThrow('not again');
    expect(await names()).toContain('d');
  });

  it('skips objects that are concurrently deleted', async () => {
    const { store, storage, names } = await three();
    storage.beforeCommit = async () => {
      storage.beforeCommit = undefined;
      await storage.delete('ns/b', {}, admitted);
    };
    await store.deleteCollection(testContext(), admitted, {}, everything);
    expect(await names()).toEqual([]);
  });

  it('deletes nothing in a dry run, and nothing after an abort', async () => {
    const { store, names } = await three();
    await store.deleteCollection(testContext(), admitted, { dryRun: ['All'] }, everything);
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(store.deleteCollection(testContext({ signal }), admitted, {}, everything)).rejects.toThrow('gone');
    expect(await names()).toEqual(['a', 'b', 'c']);
  });
});
