import { systemClock } from '@apiserver/apimachinery/clock';
import { describe, expect, it } from 'vitest';
import { GrpcCode, GrpcError } from '../grpc/grpc-error.js';
import { findEtcd, NO_ETCD, startEtcd } from '../testing/etcd-server.js';
import { EtcdConnection } from './etcd-connection.js';
import { GetBatches } from './get-batches.js';
import { encodeTransaction } from './messages/transaction.js';
import { TRANSACTION } from './methods.js';

/** Counts the calls of a connection. */
class CountingConnection extends EtcdConnection implements Disposable {
  readonly paths: string[] = [];

  [Symbol.dispose](): void {
    this.close();
  }

  override read(path: string, message: Uint8Array): Promise<Buffer> {
    this.paths.push(path);
    return super.read(path, message);
  }
}

async function connectionTo(url: string, keys: readonly string[]) {
  const timeouts = { requestTimeout: 5000, connectTimeout: 5000 };
  const connection = new CountingConnection({ endpoints: [url], tls: {}, clock: systemClock, ...timeouts });
  for (const key of keys) {
    const comparison = { key, target: 'modRevision', value: 0 } as const;
    const write = { type: 'put', key, value: Buffer.from(`value of ${key}`) } as const;
    await connection.write(TRANSACTION, encodeTransaction({ comparison, write }));
  }
  return connection;
}

const keys = Array.from({ length: 150 }, (_, i) => `/k/${i}`);
const textOf = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();

describe.skipIf(findEtcd() === undefined)(`GetBatches (${NO_ETCD})`, () => {
  it('combines reads of one event loop turn into few requests, and gives each its result', async () => {
    await using server = await startEtcd();
    using connection = await connectionTo(server.url, keys.slice(0, 100));
    const gets = new GetBatches(connection);
    const reads = await Promise.all(keys.map((key) => gets.read(key)));
    expect(reads.map(({ kv }) => textOf(kv?.value))).toEqual(
      keys.map((key, i) => (i < 100 ? `value of ${key}` : undefined)),
    );
    expect(reads.map(({ kv }) => kv?.modRevision)).toEqual(keys.map((_, i) => (i < 100 ? i + 2 : undefined)));
    expect(new Set(reads.map(({ revision }) => revision))).toEqual(new Set([101]));
    expect(connection.paths).toHaveLength(3);
    expect((await gets.read('/k/7')).kv?.key).toBe('/k/7');
    expect(connection.paths.at(-1)).toBe('/etcdserverpb.KV/Range');
  });

  it('falls back to single reads where etcd rejects the transaction, then to its limit', async () => {
    await using server = await startEtcd({ flags: ['--max-txn-ops=2'] });
    using connection = await connectionTo(server.url, keys.slice(0, 5));
    const gets = new GetBatches(connection);
    const reads = await Promise.all(keys.slice(0, 6).map((key) => gets.read(key)));
    expect(reads.map(({ kv }) => kv?.key)).toEqual([...keys.slice(0, 5), undefined]);
    expect(connection.paths).toHaveLength(7);
    const again = async () => {
      const before = connection.paths.length;
      await Promise.all(keys.slice(0, 6).map((key) => gets.read(key)));
      return connection.paths.length - before;
    };
    // Threes are rejected, then twos are accepted.
    expect([await again(), await again()]).toEqual([8, 3]);
  });

  it('returns permitted reads although another one of the same turn is forbidden', async () => {
    await using server = await startEtcd();
    using connection = await connectionTo(server.url, keys.slice(0, 3));
    const refuse = (message: string) => new GrpcError(GrpcCode.permissionDenied, message, 'refused');
    const read = connection.read.bind(connection);
    // As for a role that may only read one key: the transaction is rejected as a whole.
    connection.read = async (path, message) => {
      if (Buffer.from(message).includes('/k/1')) throw refuse('etcdserver: permission denied');
      return await read(path, message);
    };
    const gets = new GetBatches(connection);
    const reads = await Promise.allSettled(keys.slice(0, 3).map((key) => gets.read(key)));
    expect(reads.map((result) => (result.status === 'fulfilled' ? textOf(result.value.kv?.value) : 'no'))).toEqual([
      'value of /k/0',
      'no',
      'value of /k/2',
    ]);
  });

  it('reports an unavailable server to all callers', async () => {
    await using server = await startEtcd();
    using connection = await connectionTo(server.url, []);
    const gets = new GetBatches(connection);
    connection.close();
    const failures = await Promise.allSettled(keys.slice(0, 3).map((key) => gets.read(key)));
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
