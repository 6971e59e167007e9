import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handoverPath } from '@apiserver/etcd-launcher';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataOptions } from '../options/data-options.js';
import { choosePlaces, type DataPlaces, preferMemory } from './choose-places.js';
import { openOverrides, openStore, type StoreDependencies } from './open-store.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'places-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A server that returns `body` on the launcher's path, like an etcd or a launcher. */
async function responding(body: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === handoverPath ? 200 : 404;
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

const options = (fields: Partial<DataOptions>) => Object.assign(new DataOptions(), fields);
const launcher = (fields: object = {}) =>
  JSON.stringify({ kind: 'kube-apiserver-store', id: 'me', directory, fsync: false, ...fields });

describe('choosePlaces', () => {
  it.each([
    [{}, { storage: { type: 'lmdb', directory: '.kube-apiserver/db', fsync: true }, dataDirectory: '.kube-apiserver' }],
    [{ dataDirectory: '/d' }, { storage: { type: 'lmdb', directory: '/d/db', fsync: true }, dataDirectory: '/d' }],
    [{ backend: 'memory' }, { storage: { type: 'memory' }, dataDirectory: '.kube-apiserver' }],
  ])('%j', async (fields, places) => {
    expect(await choosePlaces(options(fields))).toEqual(places);
  });

  it('keeps everything in the launcher’s folder, and keys elsewhere on request', async () => {
    writeFileSync(join(directory, 'launcher-id'), 'me');
    await using server = await responding(launcher());
    const storage = { type: 'lmdb', directory: join(directory, 'db'), fsync: false };
    const etcdServers = [server.url];
    expect(await choosePlaces(options({ etcdServers }))).toEqual({
      storage,
      dataDirectory: join(directory, 'kube-apiserver'),
    });
    expect(await choosePlaces(options({ etcdServers, dataDirectory: '/d' }))).toEqual({ storage, dataDirectory: '/d' });
  });

  it.each([
    ['--etcd-cafile', { etcdCAFile: '/none.crt' }],
    ['--etcd-certfile', { etcdCertFile: '/none.crt' }],
    ['--etcd-keyfile', { etcdKeyFile: '/none.crt' }],
  ])('says at once that the file of %s cannot be read', async (flag, files) => {
    const etcdServers = ['https://127.0.0.1:1'];
    await expect(choosePlaces(options({ etcdServers, ...files }), { patience: 600_000 })).rejects.toThrow(
      `${flag}: open /none.crt: no such file or directory`,
    );
  });

  it('refuses a launcher whose folder is not on this machine', async () => {
    writeFileSync(join(directory, 'launcher-id'), 'somebody else');
    await using server = await responding(launcher());
    await expect(choosePlaces(options({ etcdServers: [server.url] }))).rejects.toThrow(
      `--etcd-servers: the launcher keeps its data in ${directory}, which is not there on this machine`,
    );
  });

  it.each(['404 page not found', '{}', launcher({ fsync: 'yes' })])(
    'treats a server that returns %j as an etcd',
    async (body) => {
      await using server = await responding(body);
      const down = 'http://127.0.0.1:1';
      const data = options({
        etcdServers: [down, server.url],
        etcdCAFile: 'ca',
        etcdCertFile: 'cert',
        etcdKeyFile: 'key',
      });
      const transport = { servers: [down, server.url], caFile: 'ca', certFile: 'cert', keyFile: 'key' };
      expect(await choosePlaces(data)).toEqual({
        storage: { type: 'etcd3', transport },
        dataDirectory: '.kube-apiserver',
      });
    },
  );

  it('refuses a launcher among others', async () => {
    writeFileSync(join(directory, 'launcher-id'), 'me');
    await using server = await responding(launcher());
    await expect(choosePlaces(options({ etcdServers: [server.url, server.url] }))).rejects.toThrow('stands alone');
  });

  it('names the server that does not respond', async () => {
    const { url } = await (async () => {
      await using server = await responding('');
      return server;
    })();
    await expect(choosePlaces(options({ etcdServers: [url] }), { patience: 150 })).rejects.toThrow(
      `--etcd-servers: ${url} does not respond: connect ECONNREFUSED`,
    );
  });
});

it('keeps an etcd of another network as it is', async () => {
  const etcdServers = ['http://nobody.invalid:1'];
  const transport = { servers: etcdServers, caFile: '', certFile: '', keyFile: '' };
  expect(await choosePlaces(options({ etcdServers }), { isDialled: true })).toEqual({
    storage: { type: 'etcd3', transport },
    dataDirectory: '.kube-apiserver',
  });
});

it('prefers the memory to a folder that no flag asks for', () => {
  const lmdb: DataPlaces = { storage: { type: 'lmdb', directory: '/d', fsync: true }, dataDirectory: '/k' };
  const transport = { servers: [], caFile: '', certFile: '', keyFile: '' };
  const etcd: DataPlaces = { storage: { type: 'etcd3', transport }, dataDirectory: '/k' };
  expect([
    preferMemory(lmdb, { backend: '' }),
    preferMemory(lmdb, { backend: 'lmdb' }),
    preferMemory(etcd, { backend: '' }),
  ]).toEqual([{ storage: { type: 'memory' }, dataDirectory: '/k' }, lmdb, etcd]);
});

it('refuses several launchers, and names a server that does not respond', async () => {
  writeFileSync(join(directory, 'launcher-id'), 'me');
  await using server = await responding(launcher());
  const etcdServers = [server.url, server.url];
  await expect(choosePlaces(options({ etcdServers }))).rejects.toMatchObject({
    name: 'StartupError',
    message: `--etcd-servers: ${server.url},${server.url} are 2 servers; a launcher stands alone`,
  });
  const down = 'http://127.0.0.1:1';
  await expect(choosePlaces(options({ etcdServers: [down] }), { patience: 0 })).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining(`--etcd-servers: ${down} does not respond: `),
  });
  const cut = { etcdServers: [server.url], etcdCAFile: '/none.crt' };
  // Without TLS its files are not read.
  expect((await choosePlaces(options(cut))).storage.type).toBe('lmdb');
  await expect(choosePlaces(options({ ...cut, etcdServers: [down, 'https://127.0.0.1:1'] }))).rejects.toMatchObject({
    message: expect.stringContaining('--etcd-cafile: open /none.crt: '),
  });
});

it('opens separate stores only beside an etcd', async () => {
  const override = { group: '', resource: 'events', servers: ['http://a:1'] };
  const of = (overrides: readonly object[]) => ({ options: { overrides } }) as unknown as StoreDependencies;
  expect(await openOverrides({ type: 'memory' }, of([]))).toEqual([]);
  await expect(openOverrides({ type: 'memory' }, of([override]))).rejects.toMatchObject({
    name: 'StartupError',
    message: '--etcd-servers-overrides: has no meaning without an etcd',
  });
  const store = {} as never;
  expect(await openStore({ type: 'given', store }, of([]))).toBe(store);
});
