import { describe, it } from 'vitest';
import { findEtcd, NO_ETCD } from '../testing/etcd-server.js';
import { etcdStorage } from '../testing/etcd-storage.js';
import { storageSuite } from '../testing/suites/storage-suite.js';

if (findEtcd() === undefined) describe.skip('Storage: etcd3', () => it(NO_ETCD, () => {}));
else storageSuite('etcd3', etcdStorage({ cached: false }), { clock: 'server' });
