import { describe, it } from 'vitest';
import { findEtcd, NO_ETCD, startEtcd } from '../testing/etcd-server.js';
import { keyValueStoreSuite } from '../testing/suites/key-value-store-suite.js';
import { openEtcdStore } from './open-etcd-store.js';

if (findEtcd() === undefined) {
  describe.skip('KeyValueStore: etcd3', () => it(NO_ETCD, () => {}));
} else {
  const open = async () => {
    const server = await startEtcd();
    const store = await openEtcdStore({ servers: [server.url], compactionInterval: 0 });
    const dispose = store[Symbol.asyncDispose].bind(store);
    return Object.assign(store, {
      async [Symbol.asyncDispose](): Promise<void> {
        await dispose();
        await server[Symbol.asyncDispose]();
      },
    });
  };
  keyValueStoreSuite('etcd3', open, { clock: 'server' });
}
