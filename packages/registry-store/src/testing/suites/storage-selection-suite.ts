import type { Storage } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { type Widget, widget } from '../widget.js';
import {
  create,
  listOptions,
  names,
  remove,
  reportedError,
  setColor,
  settled,
  type WithStorage,
  waiting,
  watch,
} from './storage-suite-fixture.js';

/** Changes in two namespaces; versions 2 to 9. */
async function fill(storage: Storage<Widget>): Promise<void> {
  await create(storage, 'ns/a', { spec: { color: 'red' } });
  await create(storage, 'ns/b', { spec: { color: 'red' } });
  await create(storage, 'other/a', { spec: { color: 'red' } });
  await setColor(storage, 'ns/a', 'blue');
  await setColor(storage, 'other/a', 'blue');
  await remove(storage, 'ns/b');
  await create(storage, 'ns/c', { spec: { color: 'red' } });
  await setColor(storage, 'ns/a', 'red');
}

const EVENTS = [
  'ADDED ns/a@2',
  'ADDED ns/b@3',
  'ADDED other/a@4',
  'MODIFIED ns/a@5',
  'MODIFIED other/a@6',
  'DELETED ns/b@7',
  'ADDED ns/c@8',
  'MODIFIED ns/a@9',
];

/** Prefix and fields; the objects at the end; the events of a watch from the beginning. */
const SELECTIONS = [
  ['', '', ['ns/a@9', 'ns/c@8', 'other/a@6'], EVENTS],
  ['ns/', '', ['ns/a@9', 'ns/c@8'], EVENTS.filter((line) => line.includes(' ns/'))],
  ['', 'metadata.namespace=ns', ['ns/a@9', 'ns/c@8'], EVENTS.filter((line) => line.includes(' ns/'))],
  ['', 'metadata.name=a', ['ns/a@9', 'other/a@6'], EVENTS.filter((line) => line.includes('/a@'))],
  ['ns/', 'metadata.name=a', ['ns/a@9'], EVENTS.filter((line) => line.includes('ns/a@'))],
  ['', 'metadata.namespace=ns,metadata.name=a', ['ns/a@9'], EVENTS.filter((line) => line.includes('ns/a@'))],
  ['ns/', 'metadata.name=b', [], ['ADDED ns/b@3', 'DELETED ns/b@7']],
  ['ns/', 'metadata.namespace=other', [], []],
  ['ns/', 'metadata.name=none', [], []],
  ['', 'metadata.name!=a', ['ns/c@8'], ['ADDED ns/b@3', 'DELETED ns/b@7', 'ADDED ns/c@8']],
  ['', 'spec.color=blue', ['other/a@6'], ['ADDED ns/a@5', 'ADDED other/a@6', 'DELETED ns/a@9']],
  ['ns/', 'metadata.name=a,spec.color=red', ['ns/a@9'], ['ADDED ns/a@2', 'DELETED ns/a@5', 'ADDED ns/a@9']],
  ['other/', 'spec.color=red', [], ['ADDED other/a@4', 'DELETED other/a@6']],
] as const;

const END = 'BOOKMARK {"k8s.io/initial-events-end":"true"}@9';

/** A list of one name at a version: its result and version. */
const ONE_NAME = [
  [{}, ['a@9'], '9'],
  [{ resourceVersion: '0' }, ['a@9'], '9'],
  [{ resourceVersion: '5' }, ['a@9'], '9'],
  [{ resourceVersion: '5', match: 'NotOlderThan' }, ['a@9'], '9'],
  [{ resourceVersion: '1', match: 'Exact' }, [], '1'],
  [{ resourceVersion: '2', match: 'Exact' }, ['a@2'], '2'],
  [{ resourceVersion: '6', match: 'Exact' }, ['a@5'], '6'],
  [{ resourceVersion: '9', match: 'Exact' }, ['a@9'], '9'],
  [{ limit: 1 }, ['a@9'], '9'],
  [{ resourceVersion: '6', limit: 1 }, ['a@9'], '9'],
  [{ resourceVersion: '6', limit: 1, match: 'Exact' }, ['a@5'], '6'],
] as const;

/**
 * Tests of selections. Upstream: RunTestNamespaceScopedList, RunTestNamespaceScopedWatch, RunTestClusterScopedWatch,
 * RunTestGetListNonRecursive, RunTestListPaginationRareObject, RunWatchListMatchSingle
 */
export function selectionTests(withStorage: WithStorage): void {
  it(
    'lists and watches what is selected, by namespace, name and field',
    withStorage(async ({ storage }) => {
      await fill(storage);
      for (const [prefix, field, objects, events] of SELECTIONS) {
        const list = await storage.list(prefix, listOptions({ field }));
        const listed = list.items.map(({ object, resourceVersion }) => {
          const { namespace, name } = object.metadata;
          return `${namespace}/${name}@${resourceVersion}`;
        });
        const history = await watch(storage, prefix, { field, resourceVersion: '1' });
        const state = await watch(storage, prefix, { field, sendInitialEvents: true, allowBookmarks: true });
        const received = {
          listed,
          history: await history.have(events.length),
          state: await state.have(objects.length + 1),
        };
        const expected = { listed: objects, history: events, state: [...objects.map((at) => `ADDED ${at}`), END] };
        expect([prefix, field, received]).toEqual([prefix, field, expected]);
      }
    }),
  );

  it(
    'sends the same to watches of the present',
    withStorage(async ({ storage }) => {
      const watches = await Promise.all(
        SELECTIONS.map(([prefix, field]) => watch(storage, prefix, { field, resourceVersion: '1' })),
      );
      await settled();
      await fill(storage);
      for (const [i, [prefix, field, , events]] of SELECTIONS.entries()) {
        expect([prefix, field, await watches[i]?.have(events.length)]).toEqual([prefix, field, events]);
      }
      await settled();
      expect(watches.map(({ lines }) => lines.length)).toEqual(SELECTIONS.map(([, , , events]) => events.length));
    }),
  );

  it(
    'lists and watches the objects of a shard, and counts the rest as if there were no shards',
    withStorage(async ({ storage }) => {
      await fill(storage);
      const shardSelector = { field: 'uid', text: 'a', matches: (uid: string) => uid === 'uid-a' } as const;
      const ofNamespace = { field: 'namespace', text: 'o', matches: (name: string) => name === 'other' } as const;
      const list = await storage.list('', listOptions({ shardSelector }));
      const page = await storage.list('', listOptions({ shardSelector, limit: 1 }));
      const none = await storage.list('ns/', listOptions({ shardSelector: ofNamespace }));
      expect([names(list), list.remainingItemCount, names(none)]).toEqual([['a@9', 'a@6'], undefined, []]);
      expect([names(page), page.remainingItemCount, page.continue !== undefined]).toEqual([['a@9'], 2, true]);
      const selected = await storage.list('', listOptions({ shardSelector: ofNamespace, field: 'spec.color=blue' }));
      expect(names(selected)).toEqual(['a@6']);
      const past = await storage.list('', listOptions({ shardSelector, resourceVersion: '5', match: 'Exact' }));
      expect(names(past)).toEqual(['a@5', 'a@4']);
      const history = await watch(storage, '', { shardSelector, resourceVersion: '1' });
      const state = await watch(storage, '', { shardSelector, sendInitialEvents: true, allowBookmarks: true });
      const events = EVENTS.filter((line) => line.includes('/a@'));
      expect(await history.have(events.length)).toEqual(events);
      expect(await state.have(3)).toEqual(['ADDED ns/a@9', 'ADDED other/a@6', END]);
      await settled();
      await setColor(storage, 'ns/c', 'blue');
      await remove(storage, 'other/a');
      expect(await history.have(events.length + 1)).toEqual([...events, 'DELETED other/a@11']);
      const [red, all] = await Promise.all([
        watch(storage, '', { shardSelector, field: 'spec.color=red', resourceVersion: '1' }),
        watch(storage, '', { resourceVersion: '10' }),
      ]);
      expect(await red.have(5)).toEqual([
        ...['ADDED ns/a@2', 'ADDED other/a@4', 'DELETED ns/a@5', 'DELETED other/a@6', 'ADDED ns/a@9'],
      ]);
      expect(await all.have(1)).toEqual(['DELETED other/a@11']);
    }),
  );

  it(
    'lists one name at every kind of version',
    withStorage(async ({ storage, clock }) => {
      await fill(storage);
      await storage.list('', listOptions());
      for (const [options, expected, version] of ONE_NAME) {
        const list = await storage.list('ns/', listOptions({ ...options, field: 'metadata.name=a' }));
        expect([options, names(list), list.resourceVersion]).toEqual([options, expected, version]);
      }
      const future = { resourceVersion: '100', field: 'metadata.name=a' };
      const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
      const atOnce = {
        code: 504,
        message: 'Timeout: Too large resource version: 100, current: 9',
        details: { causes },
      };
      for (const exact of [{ match: 'Exact' }, { limit: 1 }] as const) {
        expect(await reportedError(storage.list('ns/', listOptions({ ...future, ...exact })))).toMatchObject(atOnce);
      }
      const notOlder = reportedError(storage.list('ns/', listOptions({ ...future, match: 'NotOlderThan' })));
      await waiting(clock, notOlder);
      expect(await notOlder).toMatchObject({ code: 504 });
    }),
  );

  it(
    'lists one name completely, whatever the limit',
    withStorage(async ({ storage }) => {
      for (const name of ['a', 'b', 'c', 'd']) await create(storage, `ns/${name}`, { spec: { color: 'red' } });
      const cases = [
        [{}, ['b@3'], '5'],
        [{ resourceVersion: '0' }, ['b@3'], '5'],
        [{ resourceVersion: '2' }, ['b@3'], '5'],
        [{ resourceVersion: '4', match: 'Exact' }, ['b@3'], '4'],
        [{ resourceVersion: '2', match: 'Exact' }, [], '2'],
      ] as const;
      for (const [options, expected, version] of cases) {
        const list = await storage.list('ns/', listOptions({ ...options, limit: 1, field: 'metadata.name=b' }));
        const { resourceVersion, continue: token, remainingItemCount } = list;
        expect([options, names(list), resourceVersion, token, remainingItemCount]).toEqual([
          options,
          expected,
          version,
          undefined,
          undefined,
        ]);
      }
    }),
  );

  it(
    'continues another list when restricted to one name',
    withStorage(async ({ storage }) => {
      for (const name of ['a', 'b', 'c']) await create(storage, `ns/${name}`);
      const { continue: token = '' } = await storage.list('ns/', listOptions({ limit: 1 }));
      await setColor(storage, 'ns/b', 'red');
      const listed = ['a', 'b'].map(async (name) => {
        const list = await storage.list('ns/', listOptions({ continue: token, field: `metadata.name=${name}` }));
        return [names(list), list.resourceVersion];
      });
      expect(await Promise.all(listed)).toEqual([
        [[], '4'],
        [['b@3'], '4'],
      ]);
      const invalid = storage.list('ns/', listOptions({ continue: 'of another list', field: 'metadata.name=a' }));
      expect(await reportedError(invalid)).toMatchObject({ code: 400 });
    }),
  );

  it(
    'finds a rare object among many others, page by page',
    withStorage(async ({ storage }) => {
      await Promise.all(Array.from({ length: 600 }, (_, i) => create(storage, `ns/p${i}`)));
      await create(storage, 'ns/z', { spec: { color: 'rare' }, labels: { rare: 'yes' } });
      for (const options of [{ field: 'spec.color=rare' }, { label: 'rare=yes' }, { field: 'metadata.name=z' }]) {
        const list = await storage.list('ns/', listOptions({ ...options, limit: 1 }));
        expect([options, list.items.map(({ object }) => object.metadata.name), list.continue]).toEqual([
          options,
          ['z'],
          undefined,
        ]);
        expect(list.remainingItemCount).toBeUndefined();
      }
      const exact = listOptions({ field: 'spec.color=rare', limit: 1, resourceVersion: '602', match: 'Exact' });
      expect(names(await storage.list('ns/', exact))).toEqual(['z@602']);
    }),
  );

  it(
    'does the same for objects without a namespace',
    withStorage(
      async ({ storage }) => {
        const make = (name: string, color: string) => widget({ name, uid: `uid-${name}` }, { spec: { color } });
        const named = await watch(storage, '', { field: 'metadata.name=a', resourceVersion: '1' });
        const colored = await watch(storage, '', { field: 'spec.color=red', resourceVersion: '1' });
        for (const name of ['a', 'b', 'ab']) await storage.create(name, make(name, 'red'));
        await storage.guaranteedUpdate('a', {}, async () => ({ object: make('a', 'blue') }));
        await storage.delete('b', {}, async () => {});
        expect(await named.have(2)).toEqual(['ADDED /a@2', 'MODIFIED /a@5']);
        const reds = ['ADDED /a@2', 'ADDED /b@3', 'ADDED /ab@4', 'DELETED /a@5', 'DELETED /b@6'];
        expect(await colored.have(5)).toEqual(reds);
        expect(names(await storage.list('', listOptions()))).toEqual(['a@5', 'ab@4']);
        expect(names(await storage.list('', listOptions({ field: 'metadata.name=ab' })))).toEqual(['ab@4']);
        expect(names(await storage.list('', listOptions({ limit: 1 })))).toEqual(['a@5']);
        const state = await watch(storage, '', { field: 'metadata.name!=a', sendInitialEvents: true });
        expect(await state.have(1)).toEqual(['ADDED /ab@4']);
      },
      { scope: 'Cluster' },
    ),
  );
}
