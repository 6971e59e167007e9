import { expect, it, vi } from 'vitest';
import { StorageError } from '../storage-error.js';
import { createTestStore } from '../testing/test-store.js';
import { testContext, type Widget, widget } from '../testing/widget.js';

const admitted = async () => {};

async function storeOfOne() {
  const test = createTestStore();
  await test.store.create(testContext(), widget({ name: 'a' }, { spec: { size: 1 } }), admitted, {});
  return test;
}

it('changes an object past its rules, and gives the change the current one', async () => {
  const { store } = await storeOfOne();
  const change = vi.fn(async (draft: Widget, current: Widget) => {
    draft.spec = { size: 77 };
    expect([current.spec, Object.isFrozen(current)]).toEqual([{ size: 1 }, true]);
  });
  const stored = await store.modify(testContext(), 'a', {}, change);
  expect(stored.object).toMatchObject({ metadata: { resourceVersion: '2', uid: 'uid-1' }, spec: { size: 77 } });
  expect(change).toHaveBeenCalledOnce();
});

it('does not write a version', async () => {
  const { store, storage } = await storeOfOne();
  const { guaranteedUpdate } = storage;
  let written: Widget | undefined;
  storage.guaranteedUpdate = (key, preconditions, update) =>
    guaranteedUpdate(key, preconditions, async (current) => {
      const result = await update(current);
      written = result.object;
      return result;
    });
  await store.modify(testContext(), 'a', {}, () => {});
  expect([written?.metadata.name, written?.metadata.resourceVersion]).toEqual(['a', undefined]);
});

it('changes nothing in a dry run', async () => {
  const { store, storage } = await storeOfOne();
  const paint = (draft: Widget) => {
    draft.spec = { color: 'red' };
  };
  const { object } = await store.modify(testContext(), 'a', { dryRun: ['All'] }, paint);
  expect([object.spec, await storage.currentResourceVersion()]).toEqual([{ color: 'red' }, '1']);
});

it('reports a missing object, a failed precondition and a failure of the store', async () => {
  const { store, storage } = await storeOfOne();
  const modify = (name: string, options = {}) => store.modify(testContext(), name, options, () => {});
  await expect(modify('b')).rejects.toMatchObject({
    status: { code: 404, message: 'widgets.example.com "b" not found' },
  });
  await expect(modify('a', { preconditions: { uid: 'other' } })).rejects.toMatchObject({
    status: { code: 409, message: expect.stringContaining('UID in precondition: other, UID in object meta: uid-1') },
  });
  storage.beforeCommit = () => Promise.reject(new StorageError('Timeout', '/k'));
  await expect(
    store.modify(testContext(), 'a', {}, (draft) => {
      delete draft.spec;
    }),
  ).rejects.toMatchObject({
    status: {
      message: expect.stringContaining('The update operation against widgets.example.com could not be completed'),
    },
  });
});
