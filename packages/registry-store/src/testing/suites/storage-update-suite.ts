import { expect, it } from 'vitest';
import {
  create,
  hasCode,
  listOptions,
  make,
  names,
  remove,
  reportedError,
  setColor,
  type WithStorage,
} from './storage-suite-fixture.js';

/** Tests of updates and their retries. */
export function updateTests(withStorage: WithStorage): void {
  it(
    'changes, and creates what does not exist',
    withStorage(async ({ storage }) => {
      const result = await storage.guaranteedUpdate('ns/a', {}, async (current) => {
        expect(current).toBeUndefined();
        return { object: make('ns/a') };
      });
      expect([result.created, result.stored.resourceVersion]).toEqual([true, '2']);
      const changed = await storage.guaranteedUpdate('ns/a', {}, async (current) => {
        expect(current?.resourceVersion).toBe('2');
        expect(Object.isFrozen(current?.object)).toBe(true);
        return { object: { ...make('ns/a'), ...current?.object, spec: { size: 1 } } };
      });
      expect([changed.created, changed.stored.resourceVersion, changed.stored.object.spec]).toEqual([
        false,
        '3',
        { size: 1 },
      ]);
    }),
  );

  it(
    'writes nothing without changes',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a', { spec: { color: 'red' } });
      const { stored, created } = await storage.guaranteedUpdate('ns/a', {}, async (current) => ({
        object: { ...make('ns/a'), ...structuredClone(current?.object) },
      }));
      expect([stored.resourceVersion, created, await storage.currentResourceVersion()]).toEqual(['2', false, '2']);
    }),
  );

  it(
    'retries with the newer object after a concurrent write',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a', { spec: { size: 0 } });
      const seen: unknown[] = [];
      const { stored } = await storage.guaranteedUpdate('ns/a', {}, async (current) => {
        seen.push(current?.object.spec?.color);
        if (seen.length === 1) await setColor(storage, 'ns/a', 'blue');
        return { object: { ...make('ns/a'), ...current?.object, spec: { ...current?.object.spec, size: 5 } } };
      });
      expect(seen).toEqual([undefined, 'blue']);
      expect(stored.object.spec).toEqual({ color: 'blue', size: 5 });
    }),
  );

  it(
    'loses no concurrent increment',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      await Promise.all(
        Array.from({ length: 20 }, () =>
          storage.guaranteedUpdate('ns/a', {}, async (current) => ({
            object: { ...make('ns/a'), spec: { size: (current?.object.spec?.size ?? 0) + 1 } },
          })),
        ),
      );
      expect((await storage.get('ns/a', {})).object.spec?.size).toBe(20);
    }),
  );

  it(
    'throws the error of the update, and checks preconditions first',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      const refuse = storage.guaranteedUpdate('ns/a', {}, async () => {
        throw new RangeError('no');
      });
      await expect(refuse).rejects.toEqual(new RangeError('no'));
      const never = async (): Promise<never> => expect.fail('must not be called');
      const wrongUid = storage.guaranteedUpdate('ns/a', { uid: 'other' }, never);
      expect(await reportedError(wrongUid)).toMatchObject({
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on widgets.example.com "a": StorageError: invalid object, Code: 4, ' +
          'Key: /registry/example.com/widgets/ns/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ' +
          'UID in precondition: other, UID in object meta: uid-a',
      });
      const wrongVersion = storage.guaranteedUpdate('ns/a', { resourceVersion: '1' }, never);
      await expect(wrongVersion).rejects.toEqual(hasCode('InvalidPreconditions'));
      expect(await storage.currentResourceVersion()).toBe('2');
    }),
  );

  it(
    'removes the time to live with an update that sets none',
    withStorage(async ({ storage, ttl, untilExpired }) => {
      await storage.create('ns/a', make('ns/a'), { ttl });
      await setColor(storage, 'ns/a', 'red');
      await untilExpired();
      await create(storage, 'ns/b');
      expect(names(await storage.list('', listOptions()))).toEqual(['a@3', 'b@4']);
    }),
  );
}

/** Tests of deletions. */
export function deleteTests(withStorage: WithStorage): void {
  it(
    'returns the last state at the revision of the deletion',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a', { spec: { color: 'red' } });
      const deleted = await remove(storage, 'ns/a');
      expect([deleted.resourceVersion, deleted.object.metadata.resourceVersion, deleted.object.spec]).toEqual([
        '3',
        '3',
        { color: 'red' },
      ]);
      await expect(remove(storage, 'ns/a')).rejects.toEqual(hasCode('KeyNotFound'));
    }),
  );

  it(
    'checks preconditions, then validates, and retries after a concurrent write',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      const never = async (): Promise<never> => expect.fail('must not be called');
      await expect(storage.delete('ns/a', { uid: 'x' }, never)).rejects.toEqual(hasCode('InvalidPreconditions'));
      const refuse = storage.delete('ns/a', {}, async () => {
        throw new RangeError('no');
      });
      await expect(refuse).rejects.toEqual(new RangeError('no'));
      const seen: unknown[] = [];
      const deleted = await storage.delete('ns/a', {}, async (object) => {
        seen.push(object.spec?.color);
        if (seen.length === 1) await setColor(storage, 'ns/a', 'blue');
      });
      expect([seen, deleted.resourceVersion]).toEqual([[undefined, 'blue'], '4']);
    }),
  );
}
