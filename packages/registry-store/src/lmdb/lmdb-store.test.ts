import type { KeyValueStore } from '../key-value-store.js';
import { keyValueStoreSuite } from '../testing/suites/key-value-store-suite.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { type LmdbStoreOptions, openLmdbStore } from './open-lmdb-store.js';

function suite(name: string, options: Pick<LmdbStoreOptions, 'journalAfter' | 'journalHalf'>): void {
  keyValueStoreSuite(name, async ({ clock }): Promise<KeyValueStore> => {
    const directory = temporaryDirectory();
    const store = await openLmdbStore({ ...options, directory: directory.path, clock, compactionInterval: 0 });
    const dispose = store[Symbol.asyncDispose].bind(store);
    return Object.assign(store, {
      async [Symbol.asyncDispose](): Promise<void> {
        await dispose();
        directory[Symbol.dispose]();
      },
    });
  });
}

suite('lmdb', {});
suite('lmdb with a journal from the start', { journalAfter: 0 });
// Every few writes LMDB stores a half.
suite('lmdb with a small journal', { journalAfter: 0, journalHalf: 16_384 });
