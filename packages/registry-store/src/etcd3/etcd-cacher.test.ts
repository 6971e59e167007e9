import { describe, it } from 'vitest';
import { findEtcd, NO_ETCD } from '../testing/etcd-server.js';
import { etcdStorage } from '../testing/etcd-storage.js';
import { storageSuite } from '../testing/suites/storage-suite.js';

if (findEtcd() === undefined) describe.skip('Storage: cacher over etcd3', () => it(NO_ETCD, () => {}));
else storageSuite('cacher over etcd3', etcdStorage({ cached: true }), { clock: 'server' });
