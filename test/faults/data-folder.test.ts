import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminClient, type ClientResponse } from '../harness/admin-client.ts';
import { repositoryRoot, runBinary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const folder = temporaryDirectory('data-folder');
/** A data folder with a store, left by a server that was killed. */
const left = join(folder.path, 'left');

beforeAll(async () => {
  await using server = await startApiServer({ dataDirectory: left });
  using client = new AdminClient(server.kubeconfig);
  expect((await create(client, 'kept')).status).toBe(201);
  await server.stop('SIGKILL');
});
afterAll(() => folder[Symbol.dispose]());

const create = (client: AdminClient, name: string, value = ''): Promise<ClientResponse> =>
  client.request('POST', configMaps, { metadata: { name }, data: { value } });

/** Starts a server that must end by itself. Returns its last message and its exit code. */
async function refusal(dataDirectory: string): Promise<{ readonly code: number | null; readonly said: string }> {
  const args = [`--data-dir=${dataDirectory}`, '--secure-port=0', '--bind-address=127.0.0.1'];
  const { code, stderr } = await runBinary(args);
  return { code, said: /"command failed" err="(.*)"\n/.exec(stderr)?.[1] ?? stderr };
}

function copyOfLeft(name: string): string {
  const path = join(folder.path, name);
  cpSync(left, path, { recursive: true });
  return path;
}

describe('a data folder that cannot be used ends the start, and stays as it is', () => {
  it.each<[string, (data: string) => void, string]>([
    ['was cut off', (data) => truncateSync(data, 50_000), 'is damaged: it was cut off at 50000 bytes'],
    ['has its pages wiped', wipePages, 'is damaged: page N is not what it is named as'],
    ['has garbage at its beginning', garble, 'is not a store, or its beginning is damaged'],
    ['is empty', (data) => truncateSync(data, 0), 'is missing or empty, and CURRENT says that it is the store'],
    ['is missing', (data) => rmSync(data), 'is missing or empty, and CURRENT says that it is the store'],
  ])('the data file %s', async (name, damage, message) => {
    const directory = copyOfLeft(name.replaceAll(' ', '-'));
    const data = join(directory, 'db/data.mdb');
    damage(data);
    const before = existsSync(data) ? readFileSync(data) : undefined;
    const { code, said } = await refusal(directory);
    expect([code, said.replace(/page \d+/, 'page N')]).toEqual([1, `${data} ${message}`]);
    expect(existsSync(data) ? readFileSync(data) : undefined).toEqual(before);
  });

  it('another server has it', async () => {
    await using server = await startApiServer({ dataDirectory: copyOfLeft('in-use') });
    const { dataDirectory } = server;
    expect(await refusal(dataDirectory)).toEqual({
      code: 1,
      said: `${dataDirectory}/db is in use by another process`,
    });
    using client = new AdminClient(server.kubeconfig);
    expect((await create(client, 'undisturbed')).status).toBe(201);
  });

  it('the store is a file', async () => {
    const directory = copyOfLeft('file');
    rmSync(join(directory, 'db'), { recursive: true });
    writeFileSync(join(directory, 'db'), '');
    const db = `${directory}/db`;
    expect(await refusal(directory)).toEqual({
      code: 1,
      said: `cannot open the store in ${db}: EEXIST: file already exists, mkdir '${db}'`,
    });
  });

  it('it is a file', async () => {
    const path = join(folder.path, 'a-file');
    writeFileSync(path, '');
    expect(await refusal(path)).toEqual({
      code: 1,
      said: `--data-dir: cannot make the folder ${path}: EEXIST: file already exists, mkdir '${path}'`,
    });
  });

  it('it cannot be made', async (context) => {
    const parent = join(folder.path, 'read-only-parent');
    mkdirSync(parent);
    using mounted = mount(parent, ['--bind', parent]);
    if (mounted === undefined) return context.skip('mounting is not allowed here');
    execFileSync('mount', ['-o', 'remount,ro,bind', parent]);
    expect(await refusal(join(parent, 'a/b'))).toEqual({
      code: 1,
      said: `--data-dir: cannot make the folder ${parent}/a/b: mkdir ${parent}/a: read-only file system`,
    });
  });

  it('it cannot be written to', async (context) => {
    const directory = copyOfLeft('read-only');
    using mounted = mount(directory, ['--bind', directory]);
    if (mounted === undefined) return context.skip('mounting is not allowed here');
    execFileSync('mount', ['-o', 'remount,ro,bind', directory]);
    const lock = `${directory}/db/lock.sqlite`;
    expect(await refusal(directory)).toEqual({
      code: 1,
      said: `cannot open the store in ${directory}/db: access ${lock}: read-only file system`,
    });
  });
});

it('the lock of a server that was killed is no lock', async () => {
  await using server = await startApiServer({ dataDirectory: copyOfLeft('killed') });
  using client = new AdminClient(server.kubeconfig);
  expect((await client.request('GET', `${configMaps}/kept`)).status).toBe(200);
});

it('a full disk refuses writes and not reads, and is forgotten when there is room', async (context) => {
  const directory = join(folder.path, 'full');
  mkdirSync(directory);
  using mounted = mount(directory, ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs']);
  if (mounted === undefined) return context.skip('mounting is not allowed here');
  await using server = await startApiServer({ dataDirectory: join(directory, 'data') });
  using client = new AdminClient(server.kubeconfig);
  expect((await create(client, 'before')).status).toBe(201);
  const filler = join(directory, 'filler');
  fill(filler);
  const refused = await create(client, 'large', 'x'.repeat(300_000));
  expect(JSON.parse(refused.body)).toMatchObject({
    code: 500,
    reason: 'InternalError',
    message: 'Internal error occurred: database space exceeded: no space left on the disk of the store',
  });
  expect((await client.request('GET', `${configMaps}/before`)).status).toBe(200);
  expect((await client.request('GET', `${configMaps}/large`)).status).toBe(404);
  expect((await client.request('GET', configMaps)).status).toBe(200);
  rmSync(filler);
  expect((await create(client, 'large', 'x'.repeat(300_000))).status).toBe(201);
  expect((await server.stop()).code).toBe(0);
  // LMDB itself writes a line for each such failure; its library's stack beside ours would say nothing more.
  expect(server.stderr).not.toMatch(/^ +at /m);
});

it('a server whose port has changed starts on a full disk, and its kubeconfig has the new port', async (context) => {
  const directory = join(folder.path, 'moved');
  mkdirSync(directory);
  using mounted = mount(directory, ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs']);
  if (mounted === undefined) return context.skip('mounting is not allowed here');
  const dataDirectory = join(directory, 'data');
  await (await startApiServer({ dataDirectory })).stop();
  const filler = join(directory, 'filler');
  const path = join(dataDirectory, 'admin.kubeconfig');
  // The kubeconfig may be longer than before, in the room that the old one has.
  writeFileSync(path, readFileSync(path, 'utf8').replace(/:\d+\n/, ':1\n'));
  fill(filler);
  await using server = await startApiServer({ dataDirectory });
  using client = new AdminClient(server.kubeconfig);
  expect((await client.request('GET', configMaps)).status).toBe(200);
  expect((await create(client, 'refused', 'x'.repeat(300_000))).status).toBe(500);
  rmSync(filler);
  expect((await create(client, 'created', 'x'.repeat(300_000))).status).toBe(201);
  expect((await server.stop()).code).toBe(0);
});

it.for<[number, RegExp]>([
  [0, /^cannot open the store in \S+: ENOSPC: no space left on device, write$/],
  // The keys or the first objects, whichever comes first.
  [
    64,
    /^(cannot write \S+\/pki\/\S+: ENOSPC: no space left|database space exceeded: no space left on the disk of the store)/,
  ],
])('a first start with %i KiB of room says what cannot be written', async ([room, message], context) => {
  const directory = join(folder.path, `room-${room}`);
  mkdirSync(directory);
  using mounted = mount(directory, ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs']);
  if (mounted === undefined) return context.skip('mounting is not allowed here');
  const filler = join(directory, 'filler');
  fill(filler);
  truncateSync(filler, statSync(filler).size - room * 1024);
  const { code, said } = await refusal(join(directory, 'data'));
  expect([code, said]).toEqual([1, expect.stringMatching(message)]);
  rmSync(filler);
  await using server = await startApiServer({ dataDirectory: join(directory, 'data') });
  expect((await server.stop()).code).toBe(0);
});

it('a file that does not fit on the disk is not put in place in part', async (context) => {
  const file = join(folder.path, 'kubeconfig');
  writeFileSync(file, 'old');
  const write = `import { writeFileAtomically } from '@apiserver/component-base/process';
    try { writeFileAtomically('${file}', 'x'.repeat(100_000), 0o600); } catch ({ message }) { console.log(message); }`;
  // A file may have 8 blocks of 512 or 1,024 bytes, as if the disk were full behind them.
  const limited = `trap '' XFSZ; ulimit -f 8; exec "$0" --input-type=module --eval "$1"`;
  if (process.platform !== 'linux') return context.skip('only Linux writes in part');
  const cwd = join(repositoryRoot, 'packages/kube-apiserver');
  const said = execFileSync('sh', ['-c', limited, process.execPath, write], { cwd, encoding: 'utf8' });
  expect([said, readFileSync(file, 'utf8')]).toEqual([`cannot write ${file}\n`, 'old']);
});

it('a folder that is removed takes the health of its server with it', async () => {
  await using server = await startApiServer({ dataDirectory: copyOfLeft('removed') });
  using client = new AdminClient(server.kubeconfig);
  // Admission has read what it needs: without that it would refuse the writes below.
  expect((await create(client, 'first')).status).toBe(201);
  rmSync(join(server.dataDirectory, 'db'), { recursive: true });
  // The server looks at most once a second.
  let status = 201;
  for (let round = 0; status === 201 && round < 100; round += 1) {
    await sleep(100);
    ({ status } = await create(client, `lost-${round}`));
  }
  expect(status).toBe(500);
  expect((await client.request('GET', '/livez')).body).toContain('[-]etcd failed');
  const data = `${server.dataDirectory}/db/data.mdb`;
  expect(server.stderr).toContain(
    `"The store has failed; nothing can be read or written until the server is started again" err="${data} was removed or replaced while it was in use"`,
  );
});

/** All but the two at the beginning. */
function wipePages(path: string): void {
  writeFileSync(path, readFileSync(path).fill(0, 2 * 4096));
}

function garble(path: string): void {
  writeFileSync(path, readFileSync(path).fill(0x55, 0, 8192));
}

/** Writes until there is no room left. */
function fill(path: string): void {
  try {
    execFileSync('dd', ['if=/dev/zero', `of=${path}`, 'bs=4k'], { stdio: 'ignore' });
  } catch {
    // It ends with the disk.
  }
}

/** Undefined where mounting is not allowed. */
function mount(path: string, args: readonly string[]): Disposable | undefined {
  try {
    execFileSync('mount', [...args, path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { [Symbol.dispose]: () => void execFileSync('umount', ['-l', path], { stdio: 'ignore' }) };
}
