export type { EtcdStatus } from './etcd-administration.js';
export type { EtcdStore } from './etcd-store.js';
export { type EtcdStoreOptions, openEtcdStore } from './open-etcd-store.js';
