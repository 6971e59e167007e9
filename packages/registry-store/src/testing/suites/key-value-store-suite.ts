import type { Clock } from '@apiserver/apimachinery/clock';
import { ManualClock } from '@apiserver/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import type { KeyValueStore } from '../../key-value-store.js';
import { RecordingSink } from '../recording-sink.js';
import { commitTests, sizeTests } from './key-value-commit-suite.js';
import { expiryTests, serverExpiryTests } from './key-value-expiry-suite.js';
import { compactTests, rangeTests } from './key-value-range-suite.js';
import { folder, hasCode, isShared, put, type WithStore } from './key-value-suite-fixture.js';
import { watchTests } from './key-value-watch-suite.js';

/** Differences between stores. */
export interface KeyValueStoreTraits {
  /** The clock of times to live: the injected one, or a server's own. Default: "given". */
  readonly clock?: 'given' | 'server';
}

/** Opens an empty store; the suite disposes it. */
export type OpenKeyValueStore = (options: { readonly clock: Clock }) => Promise<KeyValueStore>;

/** Tests of every KeyValueStore. */
export function keyValueStoreSuite(name: string, open: OpenKeyValueStore, traits: KeyValueStoreTraits = {}): void {
  const withStore: WithStore = (test) => async (context) => {
    const clock = new ManualClock();
    await using store = await open({ clock });
    await test(store, clock, context);
  };

  describe(`KeyValueStore: ${name}`, () => {
    describe('commit', () => commitTests(withStore));
    describe('size', () => sizeTests(withStore));
    describe('range', () => rangeTests(withStore));
    describe('watch', () => watchTests(withStore));
    describe('compact', () => compactTests(withStore));
    if (traits.clock === 'server') describe('time to live', () => serverExpiryTests(withStore));
    else describe('time to live', () => expiryTests(withStore));
    describe('close', () => closeTests(withStore));
  });
}

function closeTests(withStore: WithStore): void {
  it(
    'ends watches and rejects everything afterwards, once all writes are done',
    withStore(async (store) => {
      const sink = new RecordingSink();
      await store.watch(folder('/'), sink).catchUp();
      const last = put(store, '/a', '1');
      await store[Symbol.asyncDispose]();
      expect(await last).toBe(2);
      if (!isShared(store)) expect(sink.events).toEqual(['put /a=1 @2']);
      expect(await sink.ended()).toEqual(hasCode('Closed'));
      await expect(store.get('/a')).rejects.toEqual(hasCode('Closed'));
      await expect(put(store, '/b', '')).rejects.toEqual(hasCode('Closed'));
      await expect(store.currentRevision()).rejects.toEqual(hasCode('Closed'));
      const late = new RecordingSink();
      store.watch(folder('/'), late);
      expect(await late.ended()).toEqual(hasCode('Closed'));
    }),
  );
}
