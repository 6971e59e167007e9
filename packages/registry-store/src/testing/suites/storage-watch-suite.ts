import { expect, it } from 'vitest';
import { WatchRecorder } from '../watch-recorder.js';
import {
  create,
  isCached,
  label,
  listOptions,
  remove,
  setColor,
  settled,
  type WithStorage,
  waiting,
  watch,
  wireForm,
} from './storage-suite-fixture.js';

/** Tests of watches on every Storage. */
export function watchTests(withStorage: WithStorage): void {
  it(
    'sends the state and then changes',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      await create(storage, 'ns2/b');
      for (const resourceVersion of [undefined, '0'] as const) {
        const recorder = await watch(storage, '', resourceVersion === undefined ? {} : { resourceVersion });
        expect(await recorder.have(2)).toEqual(['ADDED ns/a@2', 'ADDED ns2/b@3']);
      }
      const all = await watch(storage, '');
      const namespace = await watch(storage, 'ns2/');
      await Promise.all([all.have(2), namespace.have(1)]);
      await settled();
      await setColor(storage, 'ns/a', 'red');
      await remove(storage, 'ns2/b');
      await create(storage, 'ns3/c');
      const changes = ['MODIFIED ns/a@4', 'DELETED ns2/b@5', 'ADDED ns3/c@6'];
      expect(await all.have(5)).toEqual(['ADDED ns/a@2', 'ADDED ns2/b@3', ...changes]);
      expect(await namespace.have(2)).toEqual(['ADDED ns2/b@3', 'DELETED ns2/b@5']);
    }),
  );

  it(
    'resumes from a version',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      await create(storage, 'ns2/b');
      await setColor(storage, 'ns/a', 'red');
      await remove(storage, 'ns2/b');
      const past = ['ADDED ns2/b@3', 'MODIFIED ns/a@4', 'DELETED ns2/b@5'];
      expect(await (await watch(storage, '', { resourceVersion: '2' })).have(3)).toEqual(past);
      expect(await (await watch(storage, 'ns2/', { resourceVersion: '2' })).have(2)).toEqual([
        'ADDED ns2/b@3',
        'DELETED ns2/b@5',
      ]);
      const future = await watch(storage, '', { resourceVersion: '6' });
      await settled();
      for (const key of ['ns/x', 'ns/y']) await create(storage, key);
      expect(await future.have(1)).toEqual(['ADDED ns/y@7']);
    }),
  );

  it(
    'shows objects entering and leaving a selection, leaving with their old state',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a', { labels: { on: 'yes' }, spec: { color: 'red' } });
      await create(storage, 'ns/b');
      await label(storage, 'ns/a', {});
      await label(storage, 'ns/b', { on: 'yes' });
      await setColor(storage, 'ns/b', 'blue');
      await remove(storage, 'ns/a');
      await remove(storage, 'ns/b');
      const byLabel = await watch(storage, '', { resourceVersion: '3', label: 'on=yes' });
      expect(await byLabel.have(4)).toEqual(['DELETED ns/a@4', 'ADDED ns/b@5', 'MODIFIED ns/b@6', 'DELETED ns/b@8']);
      expect(byLabel.events[0]?.object.object).toMatchObject({
        metadata: { labels: { on: 'yes' } },
        spec: { color: 'red' },
      });
      const byField = await watch(storage, '', { resourceVersion: '1', field: 'spec.color=red' });
      expect(await byField.have(3)).toEqual(['ADDED ns/a@2', 'MODIFIED ns/a@4', 'DELETED ns/a@7']);
      const byName = await watch(storage, '', { resourceVersion: '1', field: 'metadata.name=b' });
      expect(await byName.have(4)).toEqual(['ADDED ns/b@3', 'MODIFIED ns/b@5', 'MODIFIED ns/b@6', 'DELETED ns/b@8']);
    }),
  );

  it(
    'sends initial events with the bookmark that ends them, if requested',
    withStorage(async ({ storage, clock }) => {
      await create(storage, 'ns/a', { labels: { on: 'yes' } });
      await create(storage, 'ns/b');
      const end = 'BOOKMARK {"k8s.io/initial-events-end":"true"}@3';
      const all = await watch(storage, 'ns/', { sendInitialEvents: true, allowBookmarks: true });
      expect(await all.have(3)).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', end]);
      const some = await watch(storage, 'ns/', {
        sendInitialEvents: true,
        allowBookmarks: true,
        label: 'on',
        resourceVersion: '2',
      });
      expect(await some.have(2)).toEqual(['ADDED ns/a@2', end]);
      const silent = await watch(storage, 'ns/', { sendInitialEvents: true });
      const none = await watch(storage, 'ns/', { sendInitialEvents: false });
      await settled();
      await create(storage, 'ns/c');
      expect(await silent.have(3)).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3', 'ADDED ns/c@4']);
      expect(await none.have(1)).toEqual(['ADDED ns/c@4']);
      const bookmark = Buffer.from(all.events[2]?.object.wire(wireForm) ?? []).toString();
      expect(bookmark).toBe(
        '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"resourceVersion":"3",' +
          '"annotations":{"k8s.io/initial-events-end":"true"}}}',
      );
      // The last ones exceed a double's exact range.
      for (const resourceVersion of ['99', '9007199254740993', '9223372036854775807']) {
        const pending = watch(storage, 'ns/', { sendInitialEvents: true, allowBookmarks: true, resourceVersion });
        await waiting(clock, pending);
        expect((await (await pending).ended())?.status).toMatchObject({
          code: 504,
          message: `Timeout: Too large resource version: ${resourceVersion}, current: 4`,
        });
      }
    }),
  );

  it(
    'sends a bookmark every minute and one before the deadline',
    withStorage(async ({ storage, clock }) => {
      await create(storage, 'ns/a');
      const deadline = clock.now() + 90_000;
      const recorder = await watch(storage, '', { resourceVersion: '1', allowBookmarks: true, deadline });
      const plain = await watch(storage, '', { resourceVersion: '1' });
      await Promise.all([recorder.have(1), plain.have(1)]);
      await settled();
      clock.advance(59_000);
      await create(storage, 'ns/b');
      expect(await recorder.have(2)).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3']);
      clock.advance(2000);
      expect(recorder.lines.slice(2)).toEqual(['BOOKMARK {}@3']);
      clock.advance(26_000);
      expect(recorder.lines.length).toBe(3);
      clock.advance(60_000);
      expect(recorder.lines.slice(3)).toEqual(['BOOKMARK {}@3']);
      expect(await plain.have(2)).toEqual(['ADDED ns/a@2', 'ADDED ns/b@3']);
    }),
  );

  it(
    'ends with 410 when the history is gone',
    withStorage(async ({ storage, store }) => {
      await create(storage, 'ns/a');
      for (let i = 0; i < 300; i++) await setColor(storage, 'ns/a', String(i));
      await store.compact(290);
      const recorder = await watch(storage, '', { resourceVersion: '2' });
      expect((await recorder.ended())?.status).toMatchObject({
        code: 410,
        reason: 'Expired',
        message: isCached(storage)
          ? 'too old resource version: 2 (290)'
          : 'The resourceVersion for the provided watch is too old.',
      });
      const resumed = await watch(storage, '', { resourceVersion: '290' });
      expect((await resumed.have(12))[0]).toBe('MODIFIED ns/a@291');
    }),
  );

  it(
    'continues from past to present without gap or repetition',
    withStorage(async ({ storage }) => {
      for (let i = 0; i < 700; i++) void create(storage, `ns/p${i}`);
      await create(storage, 'ns/last');
      const recorder = await watch(storage, '', { resourceVersion: '1' });
      const initial = await watch(storage, '', {});
      await Promise.all(Array.from({ length: 300 }, (_, i) => create(storage, `ns/q${i}`)));
      const revisions = (await recorder.have(1001)).map((line) => Number(line.split('@')[1]));
      expect(revisions).toEqual(Array.from({ length: 1001 }, (_, i) => i + 2));
      const seen = (await initial.have(1001)).map((line) => line.split(' ')[1]);
      expect(new Set(seen).size).toBe(1001);
      expect(seen.length).toBe(1001);
    }),
  );

  it(
    'delivers nothing after close, and ends when the storage is closed',
    withStorage(async ({ storage }) => {
      const source = await storage.watch('', { ...listOptions({ resourceVersion: '1' }), allowBookmarks: true });
      const closed = new WatchRecorder(source);
      const unstarted = await storage.watch('', { ...listOptions({}), allowBookmarks: false });
      const open = await watch(storage, '', { resourceVersion: '1' });
      await settled();
      source.close();
      source.close();
      unstarted.close();
      const late = new WatchRecorder(unstarted);
      await create(storage, 'ns/a');
      expect(await open.have(1)).toEqual(['ADDED ns/a@2']);
      expect([closed.lines, late.lines]).toEqual([[], []]);
      await storage[Symbol.asyncDispose]();
      expect(await open.ended()).toBeUndefined();
      expect([closed.closed, late.closed]).toEqual([false, false]);
    }),
  );
}
