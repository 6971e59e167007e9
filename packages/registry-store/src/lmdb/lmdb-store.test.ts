import type { KeyValueStore } from '../key-value-store.js';
import { keyValueStoreSuite } from '../testing/suites/key-value-store-suite.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { openLmdbStore } from './open-lmdb-store.js';

keyValueStoreSuite('lmdb', async ({ clock }): Promise<KeyValueStore> => {
  const directory = temporaryDirectory();
  const store = await openLmdbStore({ directory: directory.path, clock, compactionInterval: 0 });
  const dispose = store[Symbol.asyncDispose].bind(store);
  return Object.assign(store, {
    async [Symbol.asyncDispose](): Promise<void> {
      await dispose();
      directory[Symbol.dispose]();
    },
  });
});
