import { ManualClock } from '@apiserver/apimachinery/testing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { KeyValueStore } from '../key-value-store.js';
import { createMemoryStore } from '../memory/create-memory-store.js';
import { createObjectStorage } from '../objects/object-storage.js';
import {
  create,
  hasCode,
  listOptions,
  make,
  names,
  setColor,
  settled,
  watch,
} from '../testing/suites/storage-suite-fixture.js';
import type { Widget } from '../testing/widget.js';
import { newWidgetContext } from '../testing/widget-cache.js';
import { dryRunStorage } from './dry-run-storage.js';

const PREFIX = 'example.com/widgets';

let store: KeyValueStore;
beforeEach(() => {
  store = createMemoryStore({ clock: new ManualClock(), compactionInterval: 0 });
});
afterEach(() => store[Symbol.asyncDispose]());

/** Storage with the object ns/a at version 2, and the same storage without writes. */
async function withOne() {
  const storage = createObjectStorage(newWidgetContext({ store }), new ManualClock());
  await create(storage, 'ns/a', { spec: { color: 'red' } });
  const stored = async () => names(await storage.list('', listOptions()));
  return { storage, stored, dryRun: dryRunStorage<Widget>(storage, PREFIX) };
}

const blue = async () => ({ object: make('ns/a', { spec: { color: 'blue' } }) });

it('creates nothing, and returns the object without a version', async () => {
  const { dryRun, stored } = await withOne();
  const made = await dryRun.create('ns/b', make('ns/b', { spec: { color: 'red' } }));
  expect([made.object, made.resourceVersion]).toEqual([make('ns/b', { spec: { color: 'red' } }), '']);
  expect([Object.isFrozen(made.object), Object.isFrozen(made.object.spec)]).toEqual([true, true]);
  expect([await stored(), await store.currentRevision()]).toEqual([['a@2'], 2]);
});

it('does not create what exists', async () => {
  const { dryRun } = await withOne();
  const failed = dryRun.create('ns/a', make('ns/a'));
  await expect(failed).rejects.toMatchObject({ storageErrorCode: 'KeyExists', key: 'ns/a' });
});

it('updates nothing, and returns the object at the version that it has', async () => {
  const { dryRun, storage } = await withOne();
  const { stored, created } = await dryRun.guaranteedUpdate('ns/a', {}, blue);
  expect([stored.object.spec, stored.resourceVersion, created]).toEqual([{ color: 'blue' }, '2', false]);
  expect((await storage.get('ns/a', {})).object.spec).toEqual({ color: 'red' });
});

it('tells whether an update would create', async () => {
  const { dryRun, stored } = await withOne();
  const update = await dryRun.guaranteedUpdate('ns/b', {}, async () => ({ object: make('ns/b') }));
  expect([update.created, update.stored.resourceVersion, await stored()]).toEqual([true, '', ['a@2']]);
});

it.each([
  ['a creation', 'ns/b'],
  ['an update', 'ns/a'],
])('reads the object of %s again, as it would be stored', async (_, key) => {
  const { dryRun, storage } = await withOne();
  const reread = vi.spyOn(storage, 'reread').mockResolvedValue(make('ns/stored'));
  const options = { ttl: 5, isLarge: true };
  const { object } =
    key === 'ns/b'
      ? await dryRun.create(key, make(key), options)
      : (await dryRun.guaranteedUpdate(key, {}, async () => ({ object: make(key), ...options }))).stored;
  expect([object, reread.mock.calls.map(([, given]) => given)]).toEqual([make('ns/stored'), [options]]);
});

it('deletes nothing, and returns the object after its check', async () => {
  const { dryRun, stored } = await withOne();
  const checked: unknown[] = [];
  const deleted = await dryRun.delete('ns/a', {}, async ({ metadata }) => void checked.push(metadata.name));
  expect([deleted.resourceVersion, deleted.object.spec, checked]).toEqual(['2', { color: 'red' }, ['a']]);
  expect(await stored()).toEqual(['a@2']);
});

it('names the key without the root in a failed precondition', async () => {
  const { dryRun } = await withOne();
  const failures = [
    dryRun.delete('ns/a', { uid: 'other' }, () => {}),
    dryRun.guaranteedUpdate('ns/a', { uid: 'other' }, blue),
  ];
  const message = 'Precondition failed: UID in precondition: other, UID in object meta: uid-a';
  for (const failure of failures) {
    await expect(failure).rejects.toMatchObject({
      storageErrorCode: 'InvalidPreconditions',
      key: `/${PREFIX}/ns/a`,
      details: { message },
    });
  }
});

it('passes other failures on', async () => {
  const { dryRun } = await withOne();
  const refused = new Error('refused');
  const refuse = async () => {
    throw refused;
  };
  await expect(dryRun.delete('ns/a', {}, refuse)).rejects.toBe(refused);
  await expect(dryRun.guaranteedUpdate('ns/a', {}, refuse)).rejects.toBe(refused);
  await expect(dryRun.delete('ns/b', {}, () => {})).rejects.toEqual(hasCode('KeyNotFound'));
  await expect(dryRun.deleteUnread('ns/b')).rejects.toEqual(hasCode('KeyNotFound'));
});

it('reads and watches, and leaves the storage to its owner', async () => {
  const { dryRun, storage } = await withOne();
  await dryRun.ready();
  const read = await dryRun.get('ns/a', {});
  const list = await dryRun.list('ns/', listOptions());
  const events = await watch(dryRun, 'ns/', { resourceVersion: '2' });
  const again = await dryRun.reread(read.object);
  expect([read.resourceVersion, names(list), again, await dryRun.currentResourceVersion()]).toEqual([
    '2',
    ['a@2'],
    read.object,
    '2',
  ]);
  await dryRun[Symbol.asyncDispose]();
  await setColor(storage, 'ns/a', 'blue');
  await settled();
  expect(await events.have(1)).toEqual(['MODIFIED ns/a@3']);
});

it('is ready when the storage is', async () => {
  const { dryRun, storage } = await withOne();
  const { signal } = new AbortController();
  const ready = vi.spyOn(storage, 'ready').mockRejectedValue(new Error('not yet'));
  await expect(dryRun.ready(signal)).rejects.toThrow('not yet');
  expect(ready.mock.calls).toEqual([[signal]]);
});
