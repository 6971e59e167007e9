import { setTimeout } from 'node:timers/promises';
import type { Storage } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { ManualClock } from './manual-clock.js';
import { atRestTests } from './storage-at-rest-suite.js';
import { conflictTests } from './storage-conflict-suite.js';
import { encryptionTests } from './storage-encryption-suite.js';
import { keyTests } from './storage-key-suite.js';
import { progressTests } from './storage-progress-suite.js';
import { selectionTests } from './storage-selection-suite.js';
import { semanticsTests } from './storage-semantics-suite.js';
import {
  type Context,
  create,
  hasCode,
  listOptions,
  make,
  names,
  type OpenStorage,
  remove,
  type StorageTraits,
  setColor,
  told,
  type WithStorage,
  waiting,
  watch,
  wireForm,
} from './storage-suite-fixture.js';
import { watchTests } from './storage-watch-suite.js';
import { writeTests } from './storage-write-suite.js';
import type { Widget } from './widget.js';

const givenTime = (clock: ManualClock): Pick<Context, 'ttl' | 'untilExpired'> => ({
  ttl: 10,
  untilExpired: async () => clock.advance(10_000),
});

/** A server looks for what has expired now and then. */
const serverTime: Pick<Context, 'ttl' | 'untilExpired'> = { ttl: 1, untilExpired: () => setTimeout(2500) };

/** What every Storage does, cached or not. */
export function storageSuite(name: string, open: OpenStorage, traits: StorageTraits = {}): void {
  const withStorage: WithStorage =
    (test, needs = {}) =>
    async () => {
      const clock = new ManualClock();
      await using fixture = await open({
        clock,
        ...('fromStorage' in needs ? { transformerFor: () => needs } : needs),
      });
      const context: Context = {
        storage: fixture.storage,
        store: fixture.store,
        clock,
        ...(traits.clock === 'server' ? serverTime : givenTime(clock)),
      };
      await test(context);
    };
  describe(`Storage: ${name}`, () => {
    describe('create', () => createTests(withStorage));
    describe('get', () => getTests(withStorage));
    describe('guaranteedUpdate', () => updateTests(withStorage));
    describe('delete', () => deleteTests(withStorage));
    describe('list', () => listTests(withStorage));
    describe('watch', () => watchTests(withStorage));
    describe('semantics', () => semanticsTests(withStorage));
    describe('keys', () => keyTests(withStorage));
    describe('at rest', () => atRestTests(withStorage));
    describe('encrypted', () => encryptionTests(withStorage));
    describe('writes', () => writeTests(withStorage));
    describe('selections', () => selectionTests(withStorage));
    describe('progress', () => progressTests(withStorage));
    describe('conflicts', () => conflictTests(withStorage));
  });
}

function createTests(withStorage: WithStorage): void {
  it(
    'answers the object with its version, in all forms',
    withStorage(async ({ storage, store }) => {
      const stored = await storage.create('ns/a', make('ns/a', { spec: { color: 'red' } }));
      const json =
        '{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"ns","uid":"uid-a",' +
        '"resourceVersion":"2"},"spec":{"color":"red"}}';
      expect(stored.resourceVersion).toBe('2');
      expect(stored.object).toEqual(JSON.parse(json));
      expect(Object.isFrozen(stored.object.metadata)).toBe(true);
      expect(Buffer.from(stored.wire(wireForm) ?? []).toString()).toBe(json);
      expect(stored.wire({ ...wireForm, version: 'v2' })).toBeUndefined();
      const { kv } = await store.get('/registry/example.com/widgets/ns/a');
      expect(Buffer.from(kv?.value ?? []).toString()).toBe(json.replace(',"resourceVersion":"2"', ''));
    }),
  );

  it(
    'refuses what exists, and an object that carries a version',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      await expect(create(storage, 'ns/a')).rejects.toEqual(hasCode('KeyExists'));
      const versioned = { ...make('ns/b'), metadata: { name: 'b', resourceVersion: '7' } };
      expect(await told(storage.create('ns/b', versioned))).toMatchObject({
        code: 500,
        message: 'resourceVersion should not be set on objects to be created',
      });
    }),
  );

  it(
    'removes an object when its time to live is over',
    withStorage(async ({ storage, ttl, untilExpired }) => {
      await storage.create('ns/a', make('ns/a'), { ttl });
      const recorder = await watch(storage, '', { resourceVersion: '2' });
      await create(storage, 'ns/b');
      await recorder.have(1);
      await untilExpired();
      expect(await recorder.have(2)).toEqual(['ADDED ns/b@3', 'DELETED ns/a@4']);
      await expect(storage.get('ns/a', {})).rejects.toEqual(hasCode('KeyNotFound'));
    }),
  );
}

function getTests(withStorage: WithStorage): void {
  it(
    'reads the newest, at any required version',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a', { spec: { color: 'red' } });
      await setColor(storage, 'ns/a', 'blue');
      const requirements = [
        {},
        { resourceVersion: '' },
        { resourceVersion: '0' },
        { resourceVersion: '2' },
        { resourceVersion: '3' },
      ];
      const read = await Promise.all(requirements.map((requirement) => storage.get('ns/a', requirement)));
      expect(read.map(({ object }) => [object.spec?.color, object.metadata.resourceVersion])).toEqual(
        requirements.map(() => ['blue', '3']),
      );
    }),
  );

  it(
    'says what is wrong',
    withStorage(async ({ storage, clock }) => {
      expect(await told(storage.get('ns/a', {}))).toMatchObject({
        code: 404,
        message: 'widgets.example.com "a" not found',
      });
      expect(await told(storage.get('ns/a', { resourceVersion: 'abc' }))).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
        code: 500,
      });
      const future = told(storage.get('ns/a', { resourceVersion: '1000' }));
      await waiting(clock, future);
      expect(await future).toMatchObject({
        code: 504,
        message: 'Timeout: Too large resource version: 1000, current: 1',
        details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
      });
    }),
  );
}

function updateTests(withStorage: WithStorage): void {
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
    'writes nothing when nothing changes',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a', { spec: { color: 'red' } });
      const { stored, created } = await storage.guaranteedUpdate('ns/a', {}, async (current) => ({
        object: { ...make('ns/a'), ...structuredClone(current?.object) },
      }));
      expect([stored.resourceVersion, created, await storage.currentResourceVersion()]).toEqual(['2', false, '2']);
    }),
  );

  it(
    'tries again with the newer object when somebody was faster',
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
    'throws what the update throws, and checks preconditions first',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      const refuse = storage.guaranteedUpdate('ns/a', {}, async () => {
        throw new RangeError('no');
      });
      await expect(refuse).rejects.toEqual(new RangeError('no'));
      const never = async (): Promise<never> => expect.fail('must not be called');
      const wrongUid = storage.guaranteedUpdate('ns/a', { uid: 'other' }, never);
      expect(await told(wrongUid)).toMatchObject({
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
    'takes the time to live off with an update that gives none',
    withStorage(async ({ storage, ttl, untilExpired }) => {
      await storage.create('ns/a', make('ns/a'), { ttl });
      await setColor(storage, 'ns/a', 'red');
      await untilExpired();
      await create(storage, 'ns/b');
      expect(names(await storage.list('', listOptions()))).toEqual(['a@3', 'b@4']);
    }),
  );
}

function deleteTests(withStorage: WithStorage): void {
  it(
    'answers the last state at the revision of the deletion',
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
    'checks preconditions, then validates, and tries again when somebody was faster',
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

function listTests(withStorage: WithStorage): void {
  const fill = async (storage: Storage<Widget>): Promise<void> => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await create(storage, `ns/${name}`, { labels: { odd: String(name < 'c') } });
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
        start: 'b\0',
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
    'counts nothing and goes on with a selector',
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
    'says what is wrong with a version or a token',
    withStorage(async ({ storage, clock }) => {
      await fill(storage);
      // A cache that is still being filled says that first.
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
        const status = told(storage.list('ns/', listOptions(options)));
        await waiting(clock, status);
        expect(await status).toMatchObject({ code, message });
      }
      expect(names(await storage.list('ns/', listOptions({ continue: valid })))).toEqual(['b@3']);
    }),
  );

  it(
    'tells that history is gone, with a token to go on',
    withStorage(async ({ storage, store }) => {
      await fill(storage);
      const first = await storage.list('ns/', listOptions({ limit: 2 }));
      await remove(storage, 'ns/c');
      await store.compact(8);
      expect(await told(storage.list('ns/', listOptions({ resourceVersion: '5', match: 'Exact' })))).toMatchObject({
        code: 410,
        reason: 'Expired',
        message: 'The resourceVersion for the provided list is too old.',
      });
      const status = await told(storage.list('ns/', listOptions({ continue: first.continue ?? '' })));
      expect(status).toMatchObject({ code: 410, reason: 'Expired', metadata: { continue: expect.any(String) } });
      const { metadata } = status as { metadata: { continue: string } };
      expect(names(await storage.list('ns/', listOptions({ continue: metadata.continue })))).toEqual(['d@5', 'e@6']);
    }),
  );
}
