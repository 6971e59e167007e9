import type { Storage } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import type { Widget } from '../widget.js';
import {
  create,
  listOptions,
  names,
  remove,
  reportedError,
  setColor,
  type WithStorage,
  waiting,
} from './storage-suite-fixture.js';

/** Tests of lists: selections, pages, versions. */
export function listTests(withStorage: WithStorage): void {
  const fill = async (storage: Storage<Widget>): Promise<void> => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await create(storage, `ns/${name}`, { labels: { odd: String(name < 'c') } });
    }
    await create(storage, 'ns2/a', { spec: { color: 'red' } });
  };

  it(
    'lists a prefix in key order, by labels and fields',
    withStorage(async ({ storage }) => {
      await fill(storage);
      const cases = [
        ['', {}, ['a@2', 'b@3', 'c@4', 'd@5', 'e@6', 'a@7']],
        ['ns/', {}, ['a@2', 'b@3', 'c@4', 'd@5', 'e@6']],
        ['ns2/', {}, ['a@7']],
        ['none/', {}, []],
        ['', { label: 'odd=true' }, ['a@2', 'b@3']],
        ['', { label: '!odd' }, ['a@7']],
        ['', { field: 'metadata.name=a' }, ['a@2', 'a@7']],
        ['', { field: 'metadata.namespace!=ns' }, ['a@7']],
        ['', { field: 'spec.color=red' }, ['a@7']],
        ['ns/', { label: 'odd=true', field: 'metadata.name!=a' }, ['b@3']],
      ] as const;
      for (const [prefix, options, expected] of cases) {
        const list = await storage.list(prefix, listOptions(options));
        expect([prefix, options, names(list), list.resourceVersion]).toEqual([prefix, options, expected, '7']);
      }
    }),
  );

  it(
    'pages through one consistent state',
    withStorage(async ({ storage }) => {
      await fill(storage);
      const first = await storage.list('ns/', listOptions({ limit: 2 }));
      expect([names(first), first.remainingItemCount, first.resourceVersion]).toEqual([['a@2', 'b@3'], 3, '7']);
      expect(JSON.parse(Buffer.from(first.continue ?? '', 'base64url').toString())).toEqual({
        v: 'meta.k8s.io/v1',
        rv: 7,
        // A watch cache puts a slash before it, as upstream's.
        start: expect.stringMatching(/^\/?b\0$/),
      });
      const unchanged = await storage.list('ns/', listOptions({ limit: 2, continue: first.continue ?? '' }));
      expect([names(unchanged), unchanged.remainingItemCount]).toEqual([['c@4', 'd@5'], 1]);
      await create(storage, 'ns/bb');
      await remove(storage, 'ns/e');
      await setColor(storage, 'ns/c', 'new');
      const second = await storage.list('ns/', listOptions({ limit: 2, continue: first.continue ?? '' }));
      expect([names(second), second.remainingItemCount, second.resourceVersion]).toEqual([['c@4', 'd@5'], 1, '7']);
      const third = await storage.list('ns/', listOptions({ limit: 2, continue: second.continue ?? '' }));
      expect([names(third), third.remainingItemCount, third.continue]).toEqual([['e@6'], undefined, undefined]);
    }),
  );

  it(
    'has no count with a selector, and continues with it',
    withStorage(async ({ storage }) => {
      await fill(storage);
      const first = await storage.list('', listOptions({ limit: 1, label: 'odd' }));
      expect([names(first), first.remainingItemCount]).toEqual([['a@2'], undefined]);
      const rest = await storage.list('', listOptions({ continue: first.continue ?? '', label: 'odd=false' }));
      expect([names(rest), rest.continue]).toEqual([['c@4', 'd@5', 'e@6'], undefined]);
      const exact = await storage.list('ns2/', listOptions({ limit: 1, label: '!odd' }));
      expect([names(exact), exact.continue]).toEqual([['a@7'], undefined]);
    }),
  );

  it(
    'reads exact versions',
    withStorage(async ({ storage }) => {
      await fill(storage);
      await setColor(storage, 'ns2/a', 'blue');
      await remove(storage, 'ns/a');
      const exact = await storage.list('', listOptions({ resourceVersion: '7', match: 'Exact' }));
      expect([names(exact).length, exact.items[5]?.object.spec, exact.resourceVersion]).toEqual([
        6,
        { color: 'red' },
        '7',
      ]);
      const legacy = await storage.list('ns/', listOptions({ resourceVersion: '3', limit: 10 }));
      expect([names(legacy), legacy.resourceVersion]).toEqual([['a@2', 'b@3'], '3']);
      const atLeast = await storage.list('ns/', listOptions({ resourceVersion: '3', match: 'NotOlderThan', limit: 1 }));
      expect([names(atLeast), atLeast.resourceVersion]).toEqual([['b@3'], '9']);
    }),
  );

  it(
    'reports the fault of a version or a token',
    withStorage(async ({ storage, clock }) => {
      await fill(storage);
      // A cache that is still being filled reports that first.
      await storage.ready();
      const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const valid = token({ v: 'meta.k8s.io/v1', rv: 3, start: 'b' });
      const cases = [
        [
          { resourceVersion: 'abc' },
          400,
          'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
        ],
        [
          { continue: 'xyz' },
          400,
          "invalid continue token: continue key is not valid: invalid character 'Ç' looking for beginning of value",
        ],
        [
          { continue: '%' },
          400,
          'invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
        ],
        [
          { continue: token({ v: 'meta.k8s.io/v1', rv: -1, start: '../../x' }) },
          400,
          'invalid continue token: continue key is not valid: ../../x',
        ],
        [
          { continue: token({ v: 'v2', rv: 1, start: 'x' }) },
          400,
          'invalid continue token: continue key is not valid: server does not recognize this encoded version v2',
        ],
        [
          { continue: token({ v: 'meta.k8s.io/v1', start: 'x' }) },
          400,
          'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
        ],
        [
          { continue: token({ v: 'meta.k8s.io/v1', rv: 1 }) },
          400,
          'invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
        ],
        [
          { continue: valid, resourceVersion: '5' },
          400,
          'specifying resource version is not allowed when using continue',
        ],
        [{ resourceVersion: '8', match: 'Exact' }, 504, 'Timeout: Too large resource version: 8, current: 7'],
        [{ resourceVersion: '8' }, 504, 'Timeout: Too large resource version: 8, current: 7'],
      ] as const;
      for (const [options, code, message] of cases) {
        const status = reportedError(storage.list('ns/', listOptions(options)));
        await waiting(clock, status);
        expect(await status).toMatchObject({ code, message });
      }
      expect(names(await storage.list('ns/', listOptions({ continue: valid })))).toEqual(['b@3']);
    }),
  );

  it(
    'reports compacted history, with a token to continue',
    withStorage(async ({ storage, store }) => {
      await fill(storage);
      const first = await storage.list('ns/', listOptions({ limit: 2 }));
      await remove(storage, 'ns/c');
      await store.compact(8);
      expect(
        await reportedError(storage.list('ns/', listOptions({ resourceVersion: '5', match: 'Exact' }))),
      ).toMatchObject({
        code: 410,
        reason: 'Expired',
        message: 'The resourceVersion for the provided list is too old.',
      });
      const status = await reportedError(storage.list('ns/', listOptions({ continue: first.continue ?? '' })));
      expect(status).toMatchObject({ code: 410, reason: 'Expired', metadata: { continue: expect.any(String) } });
      const { metadata } = status as { metadata: { continue: string } };
      expect(names(await storage.list('ns/', listOptions({ continue: metadata.continue })))).toEqual(['d@5', 'e@6']);
    }),
  );

  it(
    'reports it also if nothing has changed since',
    withStorage(async ({ storage, store }) => {
      await fill(storage);
      const first = await storage.list('ns/', listOptions({ limit: 2 }));
      await store.commit({ type: 'put', key: '/elsewhere', value: Buffer.from('{}'), expectedRevision: 0 });
      await store.compact(8);
      const status = await reportedError(storage.list('ns/', listOptions({ continue: first.continue ?? '' })));
      expect(status).toMatchObject({ code: 410, reason: 'Expired', metadata: { continue: expect.any(String) } });
      const { metadata } = status as { metadata: { continue: string } };
      const rest = await storage.list('ns/', listOptions({ continue: metadata.continue }));
      expect(names(rest)).toEqual(['c@4', 'd@5', 'e@6']);
      const exact = storage.list('ns/', listOptions({ resourceVersion: '7', match: 'Exact' }));
      expect(await reportedError(exact)).toMatchObject({ code: 410 });
    }),
  );
}
