import { expect, it } from 'vitest';
import {
  create,
  listOptions,
  names,
  remove,
  setColor,
  settled,
  type WithStorage,
  watch,
} from './storage-suite-fixture.js';

const END = 'BOOKMARK {"k8s.io/initial-events-end":"true"}';

/** `sendInitialEvents`, the requested version ("newest" for the current one), and whether the state comes first. */
const WATCHES = [
  [undefined, undefined, 'state'],
  [undefined, '0', 'state'],
  [undefined, '1', 'history'],
  [undefined, '3', 'rest'],
  [undefined, 'newest', 'nothing'],
  [true, undefined, 'state'],
  [true, '0', 'state'],
  [true, '1', 'state'],
  [true, 'newest', 'state'],
  [false, undefined, 'nothing'],
  [false, '0', 'nothing'],
  [false, '1', 'history'],
  [false, 'newest', 'nothing'],
] as const;

const BEFORE = {
  state: ['ADDED ns/b@3', 'ADDED ns/c@6'],
  history: ['ADDED ns/a@2', 'ADDED ns/b@3', 'MODIFIED ns/a@4', 'DELETED ns/a@5', 'ADDED ns/c@6'],
  rest: ['MODIFIED ns/a@4', 'DELETED ns/a@5', 'ADDED ns/c@6'],
  nothing: [],
} as const;

/** Version, match and limit of a list, with its result and version. */
const LISTS = [
  [{}, ['b@3', 'c@6'], '6'],
  [{ resourceVersion: '0' }, ['b@3', 'c@6'], '6'],
  [{ resourceVersion: '0', limit: 1 }, ['b@3'], '6'],
  [{ resourceVersion: '2' }, ['b@3', 'c@6'], '6'],
  [{ resourceVersion: '2', match: 'NotOlderThan' }, ['b@3', 'c@6'], '6'],
  [{ resourceVersion: '0', match: 'NotOlderThan' }, ['b@3', 'c@6'], '6'],
  [{ resourceVersion: '1', match: 'Exact' }, [], '1'],
  [{ resourceVersion: '2', match: 'Exact' }, ['a@2'], '2'],
  [{ resourceVersion: '3', match: 'Exact' }, ['a@2', 'b@3'], '3'],
  [{ resourceVersion: '4', match: 'Exact' }, ['a@4', 'b@3'], '4'],
  [{ resourceVersion: '5', match: 'Exact' }, ['b@3'], '5'],
  [{ resourceVersion: '6', match: 'Exact' }, ['b@3', 'c@6'], '6'],
  [{ resourceVersion: '3', limit: 1 }, ['a@2'], '3'],
  [{ resourceVersion: '4', match: 'Exact', limit: 1 }, ['a@4'], '4'],
  [{ limit: 1 }, ['b@3'], '6'],
] as const;

/** Tests of the semantics of versions. Upstream: RunWatchSemantics, RunTestListResourceVersionMatch */
export function semanticsTests(withStorage: WithStorage): void {
  it.each(WATCHES)('watch with sendInitialEvents %s from %s: %s', (sendInitialEvents, version, before) =>
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      await create(storage, 'ns/b');
      await setColor(storage, 'ns/a', 'red');
      await remove(storage, 'ns/a');
      await create(storage, 'ns/c');
      const resourceVersion = version === 'newest' ? await storage.currentResourceVersion() : version;
      const initial = sendInitialEvents === undefined ? {} : { sendInitialEvents };
      const recorder = await watch(storage, '', {
        allowBookmarks: true,
        ...initial,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      });
      const expected = [...BEFORE[before], ...(sendInitialEvents === true ? [`${END}@6`] : [])];
      await recorder.have(expected.length);
      await settled();
      await create(storage, 'ns/d');
      await setColor(storage, 'ns/c', 'blue');
      expect(await recorder.have(expected.length + 2)).toEqual([...expected, 'ADDED ns/d@7', 'MODIFIED ns/c@8']);
    })(),
  );

  it(
    'lists at every kind of version',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      await create(storage, 'ns/b');
      await setColor(storage, 'ns/a', 'red');
      await remove(storage, 'ns/a');
      await create(storage, 'ns/c');
      // The watch cache ignores a limit at version 0, and must have received the last write.
      await storage.list('', listOptions());
      for (const [options, expected, version] of LISTS) {
        const list = await storage.list('ns/', listOptions(options));
        const found = names(list).slice(0, 'limit' in options ? options.limit : undefined);
        expect([options, found, list.resourceVersion]).toEqual([options, expected, version]);
      }
    }),
  );

  it(
    'continues at the version of the first page, despite changes',
    withStorage(async ({ storage }) => {
      for (const name of ['a', 'b', 'c', 'd']) await create(storage, `ns/${name}`);
      const first = await storage.list('ns/', listOptions({ resourceVersion: '4', match: 'Exact', limit: 1 }));
      await remove(storage, 'ns/b');
      await create(storage, 'ns/bb');
      const rest = await storage.list('ns/', listOptions({ continue: first.continue ?? '' }));
      expect([names(first), first.remainingItemCount, names(rest), rest.resourceVersion]).toEqual([
        ['a@2'],
        2,
        ['b@3', 'c@4'],
        '4',
      ]);
    }),
  );
}
