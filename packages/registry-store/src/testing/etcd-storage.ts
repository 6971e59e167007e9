import { createStorageProvider } from '../create-storage-provider.js';
import { openEtcdStore } from '../etcd3/open-etcd-store.js';
import { startEtcd } from './etcd-server.js';
import type { OpenStorage } from './suites/storage-suite-fixture.js';
import { memoizedCodecs, storedWidgetDefinition } from './widget-kind.js';

/** Opens storage of Widgets on an etcd of its own, behind a watch cache or not. */
export function etcdStorage({ cached }: { readonly cached: boolean }): OpenStorage {
  return async ({ clock, scope, ...changes }) => {
    const resources = new AsyncDisposableStack();
    const server = resources.use(await startEtcd());
    const store = resources.use(await openEtcdStore({ servers: [server.url], compactionInterval: 0 }));
    const options = { store, clock, codecFor: memoizedCodecs(), uncached: () => !cached, ...changes };
    const provider = resources.use(createStorageProvider(options));
    return {
      storage: provider.storageFor(storedWidgetDefinition(scope && { scope })),
      store,
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  };
}
