import { everythingFieldSelector, everythingSelector } from '@apiserver/apimachinery/selectors';
import { ManualClock } from '@apiserver/apimachinery/testing';
import type { Storage } from '@apiserver/apiserver-contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../memory/create-memory-store.js';
import type { StoreSnapshot } from '../memory/memory-snapshot.js';
import type { Transformer } from '../objects/transformer.js';
import { WatchRecorder } from '../testing/watch-recorder.js';
import { type Widget, widget } from '../testing/widget.js';
import { newWidgetCache, type WidgetCacheOptions } from '../testing/widget-cache.js';

const everything = { labelSelector: everythingSelector, fieldSelector: everythingFieldSelector, allowBookmarks: true };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const make = (name: string, size = 0): Widget => widget({ name, namespace: 'ns', uid: name }, { spec: { size } });

/** A watch of this process. */
class Following extends WatchRecorder<Widget> {
  readonly followsRestore = true;
}

/** A store with a filled cache. */
async function cached(options: Partial<WidgetCacheOptions> = {}, from?: StoreSnapshot) {
  const clock = new ManualClock();
  const store = createMemoryStore({ clock, compactionInterval: 0, ...(from && { from }) });
  const storage = newWidgetCache({ store, clock, ...options });
  await storage.ready();
  return {
    store,
    storage,
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function resize(storage: Storage<Widget>, name: string, size: number): Promise<void> {
  await storage.guaranteedUpdate(`ns/${name}`, {}, async () => ({ object: make(name, size) }));
}

async function listed(storage: Storage<Widget>, resourceVersion = ''): Promise<readonly string[]> {
  const { items, resourceVersion: version } = await storage.list('', { ...everything, resourceVersion });
  return [
    version,
    ...items.map(({ object }) => `${object.metadata.name}=${object.spec?.size}@${object.metadata.resourceVersion}`),
  ];
}

/** A snapshot of a@2 and b@3; then b has changed, a is gone, and c has come. */
async function changed({ store, storage }: { readonly store: MemoryStore; readonly storage: Storage<Widget> }) {
  await resize(storage, 'a', 1);
  await resize(storage, 'b', 1);
  const snapshot = store.snapshot();
  await resize(storage, 'b', 2);
  await storage.delete('ns/a', {}, () => {});
  await resize(storage, 'c', 1);
  return snapshot;
}

it('a cache holds the restored state in the turn of the restore', async () => {
  await using plane = await cached();
  const { store, storage } = plane;
  const snapshot = await changed(plane);
  expect(await listed(storage)).toEqual(['6', 'b=2@4', 'c=1@6']);
  await store.restore(snapshot);
  // Version 0 does not wait for anything.
  expect(await listed(storage, '0')).toEqual(['7', 'a=1@2', 'b=1@3']);
  await resize(storage, 'b', 3);
  expect(await listed(storage)).toEqual(['8', 'a=1@2', 'b=3@8']);
});

it('clients get 410 for a watch that runs and one that resumes; those of the process get the differences', async () => {
  await using plane = await cached();
  const { store, storage } = plane;
  const snapshot = await changed(plane);
  const [client, internal] = [
    new WatchRecorder(await storage.watch('', { ...everything, resourceVersion: '6' })),
    new Following(await storage.watch('', { ...everything, resourceVersion: '6' })),
  ];
  await turn();
  await store.restore(snapshot);
  expect([client.lines, client.error?.status]).toMatchObject([[], { code: 410, reason: 'Expired' }]);
  expect(internal.lines).toEqual(['ADDED ns/a@2', 'MODIFIED ns/b@3', 'DELETED ns/c@7', 'BOOKMARK {}@7']);
  for (const resourceVersion of ['3', '6']) {
    const late = new WatchRecorder(await storage.watch('', { ...everything, resourceVersion }));
    expect((await late.ended())?.status).toMatchObject({ code: 410, reason: 'Expired' });
  }
  const [next] = [new WatchRecorder(await storage.watch('', { ...everything, resourceVersion: '7' }))];
  await resize(storage, 'd', 1);
  expect([await next.have(1), internal.lines.at(-1)]).toEqual([['ADDED ns/d@8'], 'ADDED ns/d@8']);
});

it('a restore is a bookmark for those who asked for bookmarks, and only for watches of the process', async () => {
  await using plane = await cached();
  const { store, storage } = plane;
  const snapshot = await changed(plane);
  const open = (allowBookmarks: boolean) => storage.watch('', { ...everything, allowBookmarks, resourceVersion: '6' });
  const [with_, without] = [new Following(await open(true)), new Following(await open(false))];
  const other = new Following(await open(true));
  const unstarted = await open(true);
  await turn();
  await store.restore(snapshot);
  const changes = ['ADDED ns/a@2', 'MODIFIED ns/b@3', 'DELETED ns/c@7'];
  expect([with_.lines, without.lines]).toEqual([[...changes, 'BOOKMARK {}@7'], changes]);
  // All share it.
  expect(other.events.at(-1)).toBe(with_.events.at(-1));
  expect((await new Following(unstarted).ended())?.status).toMatchObject({ code: 410, reason: 'Expired' });
});

it('a watch of the process follows a restore although it began beyond the window of the cache', async () => {
  await using plane = await cached({ window: { minChanges: 1, maxChanges: 1, maxBytes: 2 ** 20, freshMs: 75_000 } });
  const { store, storage } = plane;
  const snapshot = await changed(plane);
  const internal = new Following(await storage.watch('', { ...everything, resourceVersion: '2' }));
  const past = ['ADDED ns/b@3', 'MODIFIED ns/b@4', 'DELETED ns/a@5', 'ADDED ns/c@6'];
  expect(await internal.have(4)).toEqual(past);
  for (let i = 0; i < 20; i++) await turn();
  await store.restore(snapshot);
  const differences = ['ADDED ns/a@2', 'MODIFIED ns/b@3', 'DELETED ns/c@7', 'BOOKMARK {}@7'];
  expect([internal.lines, internal.error]).toEqual([[...past, ...differences], undefined]);
});

it('a list at a version before the restore has expired', async () => {
  await using plane = await cached();
  const { store, storage } = plane;
  const snapshot = await changed(plane);
  await store.restore(snapshot);
  const exact = { ...everything, resourceVersion: '6', match: 'Exact' as const };
  await expect(storage.list('', exact)).rejects.toMatchObject({ storageErrorCode: 'Expired' });
});

it('a state that waits for its key is read again', async () => {
  const waiting: Transformer = {
    toStorage: (bytes) => bytes,
    fromStorage: async (bytes) => ({ bytes, stale: false }),
  };
  await using plane = await cached({ transformer: waiting });
  const { store, storage } = plane;
  const snapshot = await changed(plane);
  await store.restore(snapshot);
  expect(await listed(storage)).toEqual(['7', 'a=1@2', 'b=1@3']);
});

it('a cache over a fork equals that of its origin, and both go on alone', async () => {
  await using origin = await cached();
  await changed(origin);
  await using fork = await cached({}, origin.store.snapshot());
  expect(await listed(fork.storage)).toEqual(await listed(origin.storage));
  await resize(fork.storage, 'b', 8);
  await resize(origin.storage, 'c', 9);
  expect([await listed(fork.storage), await listed(origin.storage)]).toEqual([
    ['7', 'b=8@7', 'c=1@6'],
    ['7', 'b=2@4', 'c=9@7'],
  ]);
});

it('an internal watch sees every state of a cache through random restores', async () => {
  const step = fc.tuple(fc.constantFrom('write', 'delete', 'snapshot', 'restore'), fc.nat(7));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      await using plane = await cached();
      const { store, storage } = plane;
      const view = new Map<string, string>();
      const source = await storage.watch('', { ...everything, sendInitialEvents: true, resourceVersion: '' });
      source.start({
        followsRestore: true,
        event: ({ type, object: { object } }) => {
          if (type === 'DELETED') view.delete(object.metadata.name ?? '');
          else if (type !== 'BOOKMARK')
            view.set(
              object.metadata.name ?? '',
              `${object.metadata.name}=${object.spec?.size}@${object.metadata.resourceVersion}`,
            );
        },
        end: (error) => void (error && view.set('the watch ended', error.message)),
      });
      await turn();
      const snapshots: StoreSnapshot[] = [];
      for (const [i, [what, n]] of steps.entries()) {
        const snapshot = snapshots[n % snapshots.length];
        if (what === 'write') await resize(storage, `w${n}`, i);
        else if (what === 'delete') await storage.delete(`ns/w${n}`, {}, () => {}).catch(() => {});
        else if (what === 'snapshot') snapshots.push(store.snapshot());
        else if (snapshot !== undefined) await store.restore(snapshot);
        expect([...view.values()].toSorted()).toEqual((await listed(storage, '0')).slice(1));
      }
    }),
    { numRuns: 40 },
  );
});
