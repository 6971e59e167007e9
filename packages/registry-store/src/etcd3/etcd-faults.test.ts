import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CommitResult } from '../key-value-store.js';
import { type EtcdServer, findEtcd, NO_ETCD, startEtcd, startEtcdCluster } from '../testing/etcd-server.js';
import { RecordingSink } from '../testing/recording-sink.js';
import { check, Deliveries, folder, put, underLoad, Writer } from '../testing/store-load.js';
import { startTcpProxy } from '../testing/tcp-proxy.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { openEtcdStore } from './open-etcd-store.js';

const open = (servers: readonly string[], requestTimeout = 10_000) =>
  openEtcdStore({ servers, requestTimeout, compactionInterval: 0 });

describe.skipIf(findEtcd() === undefined)(`etcd3 faults (${NO_ETCD})`, () => {
  it('loses nothing when etcd is killed and restarted, and only reports unknown outcomes', async () => {
    await using server = await startEtcd();
    await using store = await open([server.url]);
    const writers = await underLoad(store, async () => {
      for (let i = 0; i < 3; i++) {
        await server.kill();
        await sleep(100);
        await server.start();
        await sleep(300);
      }
    });
    const unknown = writers.reduce((sum, writer) => sum + writer.unknown.size, 0);
    expect(unknown).toBeLessThanOrEqual(3 * writers.length);
  });

  it('continues at the other members when the current one dies', async () => {
    const servers = await startEtcdCluster(3);
    await using resources = new AsyncDisposableStack();
    for (const server of servers) resources.use(server);
    await using store = await open(servers.map(({ url }) => url));
    const [first] = servers as [EtcdServer];
    const writers = await underLoad(store, () => first.kill());
    for (const writer of writers) expect(writer.unknown.size).toBeLessThanOrEqual(1);
    await first.start();
    expect(await put(store, '/k/after', 'v')).toMatchObject({ committed: true });
  });

  it('gives up on an etcd that hangs, and continues when it resumes', async () => {
    await using server = await startEtcd();
    await using store = await open([server.url], 500);
    await underLoad(store, async () => {
      server.signal('SIGSTOP');
      // A response from before etcd was stopped may still be in transit.
      const failure = () => store.get('/k/x').then(() => undefined, String);
      await expect.poll(failure).toBe('KeyValueError: context deadline exceeded');
      server.signal('SIGCONT');
    });
  });

  it('determines the outcome of a write whose response was lost', async () => {
    await using server = await startEtcd();
    await using proxy = await startTcpProxy(server.url);
    await using store = await open([proxy.url]);
    await using other = await open([server.url]);
    /** Drops the response of a write with `revision`, if any; other frames may come before it. */
    const lose = async (
      revision: number | undefined,
      write: () => Promise<CommitResult>,
      meanwhile: () => Promise<unknown> = async () => {},
    ) => {
      await store.currentRevision();
      proxy.loseResponse(async () => {
        if (revision !== undefined) await expect.poll(() => other.currentRevision()).toBe(revision);
        await meanwhile();
      });
      return await write();
    };
    const kept = await lose(2, () => put(store, '/k/a', '1'));
    expect(kept).toEqual({ committed: true, revision: 2 });
    const overwritten = await lose(
      3,
      () => put(store, '/k/a', '2', 2),
      () => put(other, '/k/a', '3', 3),
    );
    expect(overwritten).toEqual({ committed: true, revision: 3 });
    const deleted = await lose(
      5,
      () => put(store, '/k/b', '1'),
      () => other.commit({ type: 'delete', key: '/k/b', expectedRevision: 5 }),
    ).catch((error: unknown) => error);
    expect(deleted).toMatchObject({ keyValueErrorCode: 'Unavailable' });
    const removed = await lose(7, () => store.commit({ type: 'delete', key: '/k/a', expectedRevision: 4 }));
    expect(removed).toEqual({ committed: true, revision: 7 });
    await put(other, '/k/c', 'theirs');
    const refused = await lose(undefined, () => put(store, '/k/c', 'ours'));
    expect(refused).toMatchObject({ committed: false, revision: 8, current: { modRevision: 8 } });
  });

  it('resumes a watch that is interrupted repeatedly', async () => {
    await using server = await startEtcd();
    await using proxy = await startTcpProxy(server.url);
    await using store = await open([server.url]);
    await using watching = await open([proxy.url]);
    const deliveries = new Deliveries();
    watching.watch({ ...folder, fromRevision: 1 }, deliveries);
    const writers = ['a', 'b'].map((name) => new Writer(store, name));
    for (let i = 0; i < 20; i++) {
      await sleep(50);
      proxy.cut();
    }
    await Promise.all(writers.map((writer) => writer.stop()));
    await check(store, writers, deliveries);
  });

  it('ends a watch if its history is compacted during an interruption', async () => {
    await using server = await startEtcd();
    await using store = await open([server.url]);
    const proxy = await startTcpProxy(server.url);
    await using watching = await open([proxy.url]);
    const sink = new RecordingSink();
    await watching.watch(folder, sink).catchUp();
    await put(store, '/k/a', '1');
    await sink.have(1);
    const { port } = new URL(proxy.url);
    await proxy[Symbol.asyncDispose]();
    for (let revision = 2; revision < 6; revision++) await put(store, '/k/a', 'x', revision);
    await store.compact(5);
    await using _ = await startTcpProxy(server.url, Number(port));
    expect(await sink.ended()).toMatchObject({ keyValueErrorCode: 'Compacted', revision: 5 });
  });

  it('receives large responses in parallel', async () => {
    await using server = await startEtcd();
    await using store = await open([server.url]);
    const value = Buffer.alloc(1_000_000, 7);
    for (let i = 0; i < 6; i++) await store.commit({ type: 'put', key: `/k/${i}`, value, expectedRevision: 0 });
    const pages = await Promise.all(Array.from({ length: 12 }, () => store.range(folder)));
    expect(pages.map(({ kvs }) => kvs.length)).toEqual(pages.map(() => 6));
    const tooLarge = store.commit({ type: 'put', key: '/k/x', value: Buffer.alloc(1_600_000), expectedRevision: 0 });
    await expect(tooLarge).rejects.toMatchObject({ keyValueErrorCode: 'TooLarge' });
    const far = store.commit({ type: 'put', key: '/k/x', value: Buffer.alloc(3_000_000), expectedRevision: 0 });
    await expect(far).rejects.toMatchObject({
      keyValueErrorCode: 'TooLarge',
      message: 'etcdserver: request is too large',
    });
  });

  it('reports a lack of space, also for keys with a time to live', async () => {
    await using server = await startEtcd({ flags: ['--quota-backend-bytes', '2000000'] });
    await using store = await open([server.url]);
    const put = (i: number, ttlSeconds?: number) => {
      const value = Buffer.alloc(500_000);
      const ttl = ttlSeconds === undefined ? {} : { ttlSeconds };
      return store.commit({ type: 'put', key: `/k/${i}`, value, expectedRevision: 0, ...ttl });
    };
    const refusal = { keyValueErrorCode: 'NoSpace', message: 'etcdserver: mvcc: database space exceeded' };
    // etcd measures what it has committed to its file, ten times a second.
    const fill = async () => {
      for (let i = 0; i < 200; i++) await put(i);
    };
    await expect(fill()).rejects.toMatchObject(refusal);
    await expect(put(200, 60)).rejects.toMatchObject(refusal);
  });

  it('uses TLS with a client certificate, and reports that etcd rejects it', async (context) => {
    using certificates = temporaryDirectory();
    const files = makeCertificates(certificates.path);
    if (files === undefined) return context.skip('needs openssl');
    const { ca, server: serving, client } = files;
    const tls = ['--cert-file', serving.cert, '--key-file', serving.key, '--client-cert-auth', '--trusted-ca-file', ca];
    await using server = await startEtcd({ scheme: 'https', flags: tls });
    const options = { servers: [server.url.slice('https://'.length)], caFile: ca, compactionInterval: 0 };
    await using store = await openEtcdStore({ ...options, certFile: client.cert, keyFile: client.key });
    expect(await put(store, '/k/a', '1')).toEqual({ committed: true, revision: 2 });
    expect(
      await store.commit({ type: 'put', key: '/k/b', value: Buffer.from('1'), expectedRevision: 0, ttlSeconds: 60 }),
    ).toEqual({
      committed: true,
      revision: 3,
    });
    expect((await store.status(server.url)).version).toMatch(/^3\./);
    await expect(openEtcdStore({ ...options, dialTimeout: 300 })).rejects.toMatchObject({
      keyValueErrorCode: 'Unavailable',
    });
    await expect(openEtcdStore({ ...options, caFile: '/none' })).rejects.toThrow('cannot read /none: ENOENT');
  });
});

interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** An authority, and a certificate of each kind that it issues. Undefined without openssl. */
function makeCertificates(folder: string): { ca: string; server: KeyPair; client: KeyPair } | undefined {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const path = (name: string) => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  try {
    openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=ca');
  } catch {
    return undefined;
  }
  const issue = (name: string, usage: string): KeyPair => {
    const extensions = ['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', `extendedKeyUsage=${usage}`];
    const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-x509', ...key, ...extensions, '-subj', `/CN=${name}`];
    openssl('req', ...signed, '-addext', 'basicConstraints=CA:FALSE', '-keyout', `${name}.key`, '-out', `${name}.crt`);
    return { cert: path(`${name}.crt`), key: path(`${name}.key`) };
  };
  return {
    ca: path('ca.crt'),
    server: issue('server', 'serverAuth,clientAuth'),
    client: issue('client', 'clientAuth'),
  };
}
