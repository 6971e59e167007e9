import type { Storage } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import type { Widget } from '../widget.js';
import { create, hasCode, label, make, remove, setColor, type WithStorage, watch } from './storage-suite-fixture.js';

/** Changes the object during the first attempt of `attempt`; counts the attempts. */
function disturbed(disturb: () => Promise<unknown>): { attempt(): Promise<void>; count: number } {
  const state = {
    count: 0,
    async attempt() {
      if (state.count++ === 0) await disturb();
    },
  };
  return state;
}

const recolor = (storage: Storage<Widget>, color: string, attempt: () => Promise<void>) =>
  storage.guaranteedUpdate('ns/a', {}, async (current) => {
    if (current === undefined) throw new RangeError('gone');
    await attempt();
    return { object: { ...make('ns/a'), ...current.object, spec: { ...current.object.spec, color } } };
  });

/** Tests of concurrent writers. Upstream: RunTestDeleteWithSuggestion…, RunTestGuaranteedUpdateWithConflict … */
export function conflictTests(withStorage: WithStorage): void {
  it(
    'updates: handles the newer object, which may be gone or another one of the same name',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a', { spec: { size: 1 } });
      const changed = disturbed(() => label(storage, 'ns/a', { by: 'other' }));
      const { stored } = await recolor(storage, 'first', changed.attempt);
      expect([changed.count, stored.object.metadata.labels, stored.object.spec]).toEqual([
        2,
        { by: 'other' },
        { size: 1, color: 'first' },
      ]);
      const gone = disturbed(() => remove(storage, 'ns/a'));
      await expect(recolor(storage, 'second', gone.attempt)).rejects.toEqual(new RangeError('gone'));
      await create(storage, 'ns/a', { spec: { size: 7 } });
      const replaced = disturbed(async () => {
        await remove(storage, 'ns/a');
        await create(storage, 'ns/a', { spec: { size: 8 } });
      });
      const after = await recolor(storage, 'third', replaced.attempt);
      expect([replaced.count, after.stored.object.spec, after.created]).toEqual([
        2,
        { size: 8, color: 'third' },
        false,
      ]);
    }),
  );

  it(
    'deletes: checks preconditions and validation on the newer object too',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      const seen: (string | undefined)[] = [];
      const refusing = storage.delete('ns/a', {}, async (object) => {
        seen.push(object.spec?.color);
        if (object.spec?.color === 'blue') throw new RangeError('not a blue one');
        await setColor(storage, 'ns/a', 'blue');
      });
      await expect(refusing).rejects.toEqual(new RangeError('not a blue one'));
      expect(seen).toEqual([undefined, 'blue']);
      const twice = disturbed(() => remove(storage, 'ns/a'));
      await expect(storage.delete('ns/a', {}, twice.attempt)).rejects.toEqual(hasCode('KeyNotFound'));
      const { resourceVersion } = await storage.create('ns/a', make('ns/a'));
      const moved = disturbed(() => setColor(storage, 'ns/a', 'green'));
      await expect(storage.delete('ns/a', { resourceVersion }, moved.attempt)).rejects.toEqual(
        hasCode('InvalidPreconditions'),
      );
      expect((await storage.get('ns/a', {})).object.spec?.color).toBe('green');
    }),
  );

  it(
    'creates: exactly one of many wins, and the others change nothing',
    withStorage(async ({ storage }) => {
      const attempts = Array.from({ length: 20 }, (_, size) =>
        storage.create('ns/a', make('ns/a', { spec: { size } })),
      );
      const results = await Promise.allSettled(attempts);
      const won = results.flatMap((result, i) => (result.status === 'fulfilled' ? [i] : []));
      expect(won.length).toBe(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toEqual(hasCode('KeyExists'));
      }
      expect((await storage.get('ns/a', {})).object.spec?.size ?? 0).toBe(won[0]);
      expect(await storage.currentResourceVersion()).toBe('2');
    }),
  );

  it(
    'deletes and creates the same name repeatedly: each life is reported completely, in order',
    withStorage(async ({ storage }) => {
      const recorder = await watch(storage, '', { resourceVersion: '1' });
      const expected: string[] = [];
      for (let life = 0; life < 10; life++) {
        expected.push(`ADDED ns/a@${await create(storage, 'ns/a')}`);
        expected.push(`MODIFIED ns/a@${await setColor(storage, 'ns/a', String(life))}`);
        const deleted = await remove(storage, 'ns/a');
        expected.push(`DELETED ns/a@${deleted.resourceVersion}`);
      }
      expect(await recorder.have(30)).toEqual(expected);
      const last = recorder.events[29]?.object.object;
      expect([last?.spec?.color, last?.metadata.resourceVersion]).toEqual(['9', '31']);
    }),
  );
}
