import { systemClock } from '@apiserver/apimachinery/clock';
import { expect, it } from 'vitest';
import { GrpcCode, GrpcError } from '../grpc/grpc-error.js';
import { EtcdCommitter } from './etcd-committer.js';
import type { EtcdConnection } from './etcd-connection.js';
import { LeaseManager } from './lease-manager.js';

it('reports why a write failed, not why its outcome cannot be read', async () => {
  const failed = new GrpcError(GrpcCode.unavailable, 'etcdserver: request timed out', 'refused');
  const connection = {
    write: () => Promise.reject(failed),
    read: () => Promise.reject(new GrpcError(GrpcCode.unavailable, 'connect ECONNREFUSED', 'unsent')),
  } as unknown as EtcdConnection;
  const leases = new LeaseManager({ clock: systemClock, reuseSeconds: 60, grant: async () => 1 });
  const committer = new EtcdCommitter({ connection, leases, clock: systemClock });
  const write = committer.commit({ type: 'put', key: '/k/a', value: Buffer.from('1'), expectedRevision: 0 });
  await expect(write).rejects.toMatchObject({
    keyValueErrorCode: 'Unavailable',
    message: 'etcdserver: request timed out',
    cause: failed,
  });
});
