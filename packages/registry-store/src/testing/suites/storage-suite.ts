import { setTimeout } from 'node:timers/promises';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { atRestTests } from './storage-at-rest-suite.js';
import { conflictTests } from './storage-conflict-suite.js';
import { encryptionTests } from './storage-encryption-suite.js';
import { keyTests } from './storage-key-suite.js';
import { listTests } from './storage-list-suite.js';
import { progressTests } from './storage-progress-suite.js';
import { selectionTests } from './storage-selection-suite.js';
import { semanticsTests } from './storage-semantics-suite.js';
import {
  type Context,
  create,
  hasCode,
  make,
  type OpenStorage,
  reportedError,
  type StorageTraits,
  setColor,
  type WithStorage,
  waiting,
  watch,
  wireForm,
} from './storage-suite-fixture.js';
import { deleteTests, updateTests } from './storage-update-suite.js';
import { watchTests } from './storage-watch-suite.js';
import { writeTests } from './storage-write-suite.js';

const givenTime = (clock: ManualClock): Pick<Context, 'ttl' | 'untilExpired'> => ({
  ttl: 10,
  untilExpired: async () => clock.advance(10_000),
});

/** A server checks for expired keys from time to time. */
const serverTime: Pick<Context, 'ttl' | 'untilExpired'> = { ttl: 1, untilExpired: () => setTimeout(2500) };

/** Tests of every Storage, cached or not. */
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
    'returns the object with its version, in all forms',
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
    'rejects an existing key, and an object with a version',
    withStorage(async ({ storage }) => {
      await create(storage, 'ns/a');
      await expect(create(storage, 'ns/a')).rejects.toEqual(hasCode('KeyExists'));
      const versioned = { ...make('ns/b'), metadata: { name: 'b', resourceVersion: '7' } };
      expect(await reportedError(storage.create('ns/b', versioned))).toMatchObject({
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
    'reports errors',
    withStorage(async ({ storage, clock }) => {
      expect(await reportedError(storage.get('ns/a', {}))).toMatchObject({
        code: 404,
        message: 'widgets.example.com "a" not found',
      });
      expect(await reportedError(storage.get('ns/a', { resourceVersion: 'abc' }))).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
        code: 500,
      });
      const future = reportedError(storage.get('ns/a', { resourceVersion: '1000' }));
      await waiting(clock, future);
      expect(await future).toMatchObject({
        code: 504,
        message: 'Timeout: Too large resource version: 1000, current: 1',
        details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
      });
    }),
  );
}
