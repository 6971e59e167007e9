/** Paths of calls without the etcd3 library. */
export const RANGE = '/etcdserverpb.KV/Range';
export const TRANSACTION = '/etcdserverpb.KV/Txn';
export const COMPACT = '/etcdserverpb.KV/Compact';
export const WATCH = '/etcdserverpb.Watch/Watch';
export const LEASE_GRANT = '/etcdserverpb.Lease/LeaseGrant';
export const STATUS = '/etcdserverpb.Maintenance/Status';
