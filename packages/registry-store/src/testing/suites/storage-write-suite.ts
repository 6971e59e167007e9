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
  watch,
} from './storage-suite-fixture.js';

const KEY = '/registry/example.com/widgets/ns/a';
const never = async (): Promise<never> => expect.fail('must not be called');

/**
 * Tests of preconditions and effects of writes. Upstream: RunTestConditionalDelete, RunTestGuaranteedUpdateWithTTL,
 * RunTestGuaranteedUpdateChecksStoredData, RunTestListInconsistentContinuation
 */
export function writeTests(withStorage: WithStorage): void {
  it(
    'deletes and updates only objects that meet the preconditions',
    withStorage(async ({ storage }) => {
      const refused = [{ uid: 'other' }, { resourceVersion: '9' }, { uid: 'uid-a', resourceVersion: '9' }];
      for (const preconditions of [
        {},
        { uid: 'uid-a' },
        { resourceVersion: 'own' },
        { uid: 'uid-a', resourceVersion: 'own' },
      ]) {
        const { resourceVersion } = await storage.create('ns/a', make('ns/a'));
        const met = 'resourceVersion' in preconditions ? { ...preconditions, resourceVersion } : preconditions;
        for (const wrong of refused) {
          const preconditions = { ...wrong, ...('resourceVersion' in wrong ? { resourceVersion: '1' } : {}) };
          await expect(storage.delete('ns/a', preconditions, never)).rejects.toEqual(hasCode('InvalidPreconditions'));
          await expect(storage.guaranteedUpdate('ns/a', preconditions, never)).rejects.toEqual(
            hasCode('InvalidPreconditions'),
          );
        }
        const seen: unknown[] = [];
        await storage.delete('ns/a', met, async (object) => void seen.push(object.metadata.resourceVersion));
        expect([preconditions, seen]).toEqual([preconditions, [resourceVersion]]);
      }
      await expect(storage.delete('ns/a', { uid: 'uid-a' }, never)).rejects.toEqual(hasCode('KeyNotFound'));
    }),
  );

  it(
    'stores no link of an object to itself',
    withStorage(async ({ storage }) => {
      const linked = () => {
        const object = make('ns/a');
        object.metadata.selfLink = '/x';
        return object;
      };
      const created = await storage.create('ns/a', linked());
      // The same as before, and so no new version.
      const { stored } = await storage.guaranteedUpdate('ns/a', {}, async () => ({ object: linked() }));
      expect([stored.object.metadata.selfLink, stored.resourceVersion]).toEqual([undefined, created.resourceVersion]);
    }),
  );

  it(
    'sets a time to live with an update, also on creation',
    withStorage(async ({ storage, ttl, untilExpired }) => {
      await create(storage, 'ns/a');
      await storage.guaranteedUpdate('ns/a', {}, async () => ({ object: make('ns/a', { spec: { size: 1 } }), ttl }));
      await storage.guaranteedUpdate('ns/b', {}, async () => ({ object: make('ns/b'), ttl }));
      await create(storage, 'ns/c');
      const recorder = await watch(storage, '', { resourceVersion: '5' });
      await untilExpired();
      await create(storage, 'ns/d');
      const lines = await recorder.have(3);
      expect(lines.map((line) => line.split('@')[0]).toSorted()).toEqual([
        'ADDED ns/d',
        'DELETED ns/a',
        'DELETED ns/b',
      ]);
      expect((await storage.list('', listOptions())).items.map(({ object }) => object.metadata.name)).toEqual([
        'c',
        'd',
      ]);
    }),
  );

  it(
    'rewrites objects whose stored bytes differ from its own',
    withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a', { spec: { size: 1 } });
      const { kv } = await store.get(KEY);
      const text = Buffer.from(kv?.value ?? []).toString();
      const spaced = Buffer.from(text.replace('"spec":', '"spec": '));
      await store.commit({ type: 'put', key: KEY, value: spaced, expectedRevision: 2 });
      const touch = async () => {
        const update = storage.guaranteedUpdate('ns/a', {}, async (current) => ({
          object: { ...make('ns/a'), ...structuredClone(current?.object) },
        }));
        return (await update).stored.resourceVersion;
      };
      expect([await touch(), await touch()]).toEqual(['4', '4']);
      expect(Buffer.from((await store.get(KEY)).kv?.value ?? []).toString()).toBe(text);
    }),
  );

  it(
    'returns the result of an update, and its version only in that',
    withStorage(async ({ storage }) => {
      const versioned = { ...make('ns/a'), metadata: { ...make('ns/a').metadata, resourceVersion: '77' } };
      const { stored } = await storage.guaranteedUpdate('ns/a', {}, async () => ({ object: versioned }));
      expect([stored.resourceVersion, stored.object.metadata.resourceVersion]).toEqual(['2', '2']);
      expect((await storage.get('ns/a', {})).object).toEqual(stored.object);
    }),
  );

  it(
    'continues a list with the present if its history is gone',
    withStorage(async ({ storage, store }) => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await create(storage, `ns/${name}`);
      const first = await storage.list('ns/', listOptions({ limit: 2 }));
      const same = await storage.list(
        'ns/',
        listOptions({ limit: 1, continue: first.continue ?? '', resourceVersion: '0' }),
      );
      expect(names(same)).toEqual(['c@4']);
      await remove(storage, 'ns/c');
      await create(storage, 'ns/f');
      await setColor(storage, 'ns/a', 'red');
      await store.compact(9);
      const status = await reportedError(
        storage.list('ns/', listOptions({ limit: 2, continue: first.continue ?? '' })),
      );
      expect(status).toMatchObject({ code: 410, reason: 'Expired' });
      const { metadata } = status as { metadata: { continue: string } };
      const second = await storage.list('ns/', listOptions({ limit: 1, continue: metadata.continue }));
      expect([names(second), second.resourceVersion, second.remainingItemCount]).toEqual([['d@5'], '9', 2]);
      await remove(storage, 'ns/f');
      const third = await storage.list('ns/', listOptions({ continue: second.continue ?? '' }));
      expect([names(third), third.resourceVersion, third.continue]).toEqual([['e@6', 'f@8'], '9', undefined]);
    }),
  );
}
