import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, binary, runBinary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

const backUp = (file: string, dataDirectory: string) => runBinary(['backup', file, `--data-dir=${dataDirectory}`]);
const restore = (file: string, dataDirectory: string, ...args: readonly string[]) =>
  runBinary(['restore', file, `--data-dir=${dataDirectory}`, ...args]);

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The ConfigMaps of this test, as the server has them. */
async function list(server: ApiServer): Promise<{ readonly items: readonly ConfigMap[]; readonly revision: number }> {
  using client = new AdminClient(server.kubeconfig);
  const { items, metadata } = JSON.parse((await client.request('GET', configMaps)).body);
  const own = items.filter(({ metadata: { name } }: ConfigMap) => name.startsWith('object-'));
  return { items: own, revision: Number(metadata.resourceVersion) };
}

/** Creates and updates objects until it is stopped. Keeps acknowledged objects by name, with the newest revision. */
class Load {
  readonly acknowledged = new Map<string, number>();
  readonly #done: Promise<unknown>;
  #stopped = false;

  constructor(server: ApiServer) {
    this.#done = Promise.all(['a', 'b', 'c', 'd'].map((writer) => this.#write(server, writer)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #write(server: ApiServer, writer: string): Promise<void> {
    using client = new AdminClient(server.kubeconfig);
    for (let i = 0; !this.#stopped; i++) {
      const name = `object-${writer}-${i % 100}`;
      const body = { metadata: { name }, data: { value: `${i}`, payload: 'x'.repeat(500) } };
      const create = i < 100;
      const path = create ? configMaps : `${configMaps}/${name}`;
      const response = await client.request(create ? 'POST' : 'PUT', path, body);
      expect(response.status).toBe(create ? 201 : 200);
      this.acknowledged.set(name, Number(JSON.parse(response.body).metadata.resourceVersion));
    }
  }
}

/** A server with objects in it that has ended. */
async function leftStore(dataDirectory: string): Promise<void> {
  await using server = await startApiServer({ dataDirectory });
  const load = new Load(server);
  while (load.acknowledged.size < 50) await sleep(5);
  await load.stop();
  await server.stop();
}

describe('kube-apiserver backup and restore', () => {
  it('of a server under writes: all acknowledged writes as of one moment; watches get a 410', async () => {
    using folder = temporaryDirectory('backup');
    const dataDirectory = join(folder.path, 'data');
    const file = join(folder.path, 'backup');
    await using server = await startApiServer({ dataDirectory });
    const load = new Load(server);
    while (load.acknowledged.size < 300) await sleep(5);
    const before = new Map(load.acknowledged);
    const { code, stdout, stderr } = await backUp(file, dataDirectory);
    expect([code, stderr]).toEqual([0, '']);
    const backedUp = Number(/^(\S+): \d+ objects at revision (\d+)\n$/.exec(stdout)?.[2]);
    await sleep(200);
    await load.stop();
    const after = await list(server);
    expect(after.revision).toBeGreaterThan(backedUp);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const restoredDirectory = join(folder.path, 'restored');
    cpSync(join(dataDirectory, 'pki'), join(restoredDirectory, 'pki'), { recursive: true });
    expect((await restore(file, restoredDirectory)).code).toBe(0);
    await using restored = await startApiServer({ dataDirectory: restoredDirectory });
    const { items, revision } = await list(restored);
    const revisions = new Map(items.map(({ metadata }) => [metadata.name, Number(metadata.resourceVersion)]));
    for (const [name, given] of before) expect(revisions.get(name)).toBeGreaterThanOrEqual(given);
    expect(Math.max(...revisions.values())).toBeLessThanOrEqual(backedUp);
    expect(revision).toBeGreaterThan(after.revision + 1_000_000_000);

    using client = new AdminClient(restored.kubeconfig);
    const late = await client.request('GET', `${configMaps}?watch=1&resourceVersion=${after.revision}`);
    expect(JSON.parse(late.body)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    const created = await client.request('POST', configMaps, { metadata: { name: 'new' } });
    expect(Number(JSON.parse(created.body).metadata.resourceVersion)).toBeGreaterThan(revision);
  });

  it('of a server that does not run; twice to the same end', async () => {
    using folder = temporaryDirectory('backup');
    const data = join(folder.path, 'data');
    await leftStore(data);
    const files = ['one', 'two'].map((name) => join(folder.path, name));
    for (const file of files) expect((await backUp(file, data)).code).toBe(0);
    const [one, two] = files.map((file) =>
      readFileSync(file, 'latin1')
        .replace(/"created":"[^"]*"/, '')
        .slice(0, -32),
    );
    expect(one).toBe(two);
  });

  it('of a data folder on a read-only file system', async (context) => {
    using folder = temporaryDirectory('backup');
    const data = join(folder.path, 'data');
    await leftStore(data);
    try {
      execFileSync('mount', ['--bind', data, data], { stdio: 'ignore' });
    } catch {
      return context.skip('mounting is not allowed here');
    }
    try {
      execFileSync('mount', ['-o', 'remount,ro,bind', data]);
      expect(await backUp(join(folder.path, 'backup'), data)).toMatchObject({ code: 0, stderr: '' });
    } finally {
      execFileSync('umount', ['-l', data]);
    }
  });

  it('killed at any moment leave a whole file or none, a whole store or none', { timeout: 180_000 }, async () => {
    using folder = temporaryDirectory('backup');
    const data = join(folder.path, 'data');
    await using server = await startApiServer({ dataDirectory: data });
    const load = new Load(server);
    while (load.acknowledged.size < 300) await sleep(5);
    const file = join(folder.path, 'backup');
    const target = join(folder.path, 'restored');
    const begun = performance.now();
    expect((await backUp(join(folder.path, 'first'), data)).code).toBe(0);
    const duration = performance.now() - begun;
    for (let part = 0.3; part < 1.1; part += 0.1) {
      await runKilled(['backup', file, `--data-dir=${data}`], duration * part);
      if (existsSync(join(target, 'db'))) continue;
      await runKilled(['restore', join(folder.path, 'first'), `--data-dir=${target}`], duration * part);
    }
    await load.stop();
    expect((await backUp(file, data)).code).toBe(0);
    if (!existsSync(join(target, 'db'))) expect((await restore(file, target)).code).toBe(0);
    await using other = await startApiServer({ dataDirectory: target });
    expect((await list(other)).items.length).toBeGreaterThanOrEqual(300);
    expect((await list(server)).items.length).toBe(400);
  });
});

describe('failures end with a message and exit code 1', () => {
  it.each<[string, readonly string[], string]>([
    ['no file', ['backup'], 'usage: kube-apiserver backup FILE [flags]'],
    ['two files', ['restore', 'a', 'b'], 'usage: kube-apiserver restore FILE [flags]'],
    ['a flag that is none', ['backup', 'FILE', '--nothing'], 'unknown flag: --nothing'],
    ['nothing there', ['backup', 'FILE', '--data-dir=DATA'], 'DATA/db does not exist: there is no store to back up'],
    ['memory', ['backup', 'FILE', '--storage-backend=memory'], 'backup: --storage-backend=memory keeps nothing'],
    [
      'no such backup',
      ['restore', 'FILE', '--data-dir=DATA'],
      "cannot read FILE: ENOENT: no such file or directory, open 'FILE'",
    ],
    ['no such revision', ['restore', 'FILE', '--bump-revision=-1'], '--bump-revision must not be negative'],
  ])('%s', async (_name, args, message) => {
    using folder = temporaryDirectory('backup');
    const place = (text: string) =>
      text
        .replace('FILE [', '\0')
        .replaceAll('FILE', join(folder.path, 'file'))
        .replace('\0', 'FILE [')
        .replace('DATA', join(folder.path, 'data'));
    expect(await runBinary(args.map(place))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Error: ${place(message)}\n`,
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('an etcd behind the server, and the tool for it', async () => {
    await using etcd = await fakeEtcd();
    for (const [command, tool] of [
      ['backup', 'etcdctl snapshot save FILE'],
      ['restore', 'etcdutl snapshot restore FILE'],
    ] as const) {
      expect(await runBinary([command, 'unused', `--etcd-servers=${etcd.url}`])).toMatchObject({
        code: 1,
        stderr: `Error: ${command}: the objects are kept by the etcd at ${etcd.url}; use "${tool}"\n`,
      });
    }
  });

  it('a damaged backup, and a store where one is to be', async () => {
    using folder = temporaryDirectory('backup');
    const data = join(folder.path, 'data');
    await leftStore(data);
    const file = join(folder.path, 'backup');
    expect((await backUp(file, data)).code).toBe(0);
    expect((await restore(file, data)).stderr).toBe(
      `Error: ${data}/db is not empty: a backup is restored to a folder without a store only\n`,
    );
    writeFileSync(file, readFileSync(file).fill(7, 2000, 2001));
    const target = join(folder.path, 'target');
    mkdirSync(target);
    expect(await restore(file, target)).toMatchObject({
      code: 1,
      stderr: `Error: ${file} is damaged or was cut off: its checksum does not fit\n`,
    });
    expect(readdirSync(target)).toEqual([]);
  });

  it('a place where no backup can be written: a folder, and a full disk, which is left as it was', async (context) => {
    using folder = temporaryDirectory('backup');
    const data = join(folder.path, 'data');
    await leftStore(data);
    expect((await backUp(data, data)).stderr).toMatch(/^Error: cannot write \S+\/data: EISDIR: [^\n]*\n$/);
    const disk = join(folder.path, 'disk');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return context.skip('mounting is not allowed here');
    }
    try {
      expect(await backUp(join(disk, 'file'), data)).toMatchObject({
        code: 1,
        stderr: `Error: cannot write ${disk}/file: ENOSPC: no space left on device, write\n`,
      });
      expect(readdirSync(disk)).toEqual([]);
    } finally {
      execFileSync('umount', ['-l', disk], { stdio: 'ignore' });
    }
  });

  it('--help', async () => {
    for (const command of ['backup', 'restore']) {
      const { code, stdout } = await runBinary([command, '--help']);
      expect([code, stdout.includes(`Usage:\n  kube-apiserver ${command} FILE [flags]\n`)]).toEqual([0, true]);
    }
  });
});

async function runKilled(args: readonly string[], delay: number): Promise<void> {
  const child = spawn(process.execPath, [binary, ...args], { stdio: 'ignore' });
  const ended = once(child, 'close');
  await sleep(delay);
  child.kill('SIGKILL');
  await ended;
}

/** Responds as an etcd does where a launcher of ours would say where the store is. */
async function fakeEtcd(): Promise<AsyncDisposable & { readonly url: string }> {
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => response.writeHead(404).end('404 page not found\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose](): Promise<void> {
      server.close();
      server.closeAllConnections();
    },
  };
}
