import { describe, it } from 'vitest';
import { createStorageProvider } from '../create-storage-provider.js';
import { findEtcd, NO_ETCD, startEtcd } from '../testing/etcd-server.js';
import { storageSuite } from '../testing/storage-suite.js';
import { memoizedCodecs, storedWidgetDefinition } from '../testing/widget-kind.js';
import { openEtcdStore } from './open-etcd-store.js';

if (findEtcd() === undefined) {
  describe.skip('Storage: etcd3', () => it(NO_ETCD, () => {}));
} else {
  for (const cached of [false, true]) {
    storageSuite(
      `${cached ? 'cacher over ' : ''}etcd3`,
      async ({ clock, ...changes }) => {
        const resources = new AsyncDisposableStack();
        const server = resources.use(await startEtcd());
        const store = resources.use(await openEtcdStore({ servers: [server.url], compactionInterval: 0 }));
        const options = { store, clock, codecFor: memoizedCodecs(), uncached: () => !cached, ...changes };
        const provider = resources.use(createStorageProvider(options));
        return {
          storage: provider.storageFor(storedWidgetDefinition()),
          store,
          [Symbol.asyncDispose]: () => resources.disposeAsync(),
        };
      },
      { clock: 'server' },
    );
  }
}
