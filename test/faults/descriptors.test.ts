import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { type ApiServer, binary, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { configMaps } from './healthy-server.ts';

/** Sets and reads limits of a process: of util-linux. */
const PRLIMIT = '/usr/bin/prlimit';
const hasPrlimit = (() => {
  try {
    execFileSync(PRLIMIT, ['--version']);
    return true;
  } catch {
    return false;
  }
})();

const descriptors = ({ child }: ApiServer) => readdirSync(`/proc/${child.pid}/fd`).length;

function limitDescriptors({ child }: ApiServer, limit: number): void {
  execFileSync(PRLIMIT, [`--pid=${child.pid}`, `--nofile=${limit}:4096`]);
}

/** Connections that take every descriptor that a server has left: it closes some of them. */
async function takeDescriptors({ port }: ApiServer): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: 20 }, () => createConnection(port, '127.0.0.1').on('error', () => {}));
  await expect.poll(() => sockets.some(({ closed }) => closed)).toBe(true);
  return sockets;
}

describe.skipIf(!hasPrlimit)('a server without a free descriptor (needs prlimit)', () => {
  it('serves its connections, loads code for them, and accepts others later', async () => {
    await using server = await startApiServer();
    using client = new AdminClient(server.kubeconfig);
    const create = async (name: string) => (await client.request('POST', configMaps, { metadata: { name } })).status;
    expect(await create('before')).toBe(201);
    limitDescriptors(server, descriptors(server) + 3);
    const taken = await takeDescriptors(server);
    const statusOf = async (path: string) => (await client.request('GET', path)).status;
    // Each loads code that no request has used.
    expect([await create('during'), await statusOf('/metrics'), await statusOf('/statusz')]).toEqual([201, 200, 200]);

    for (const socket of taken) socket.destroy();
    await expect
      .poll(async () => {
        using another = new AdminClient(server.kubeconfig);
        return await another.request('GET', `${configMaps}/during`).then(
          ({ status }) => status,
          () => undefined,
        );
      })
      .toBe(200);
    limitDescriptors(server, 4_096);
    expect([await statusOf('/openapi/v2'), await create('after')]).toEqual([200, 201]);
    expect(server.stderr).not.toMatch(/bug|panic/);
  });
});

/** Node itself needs 23. */
const LIMITS = [24, 25, 26, 27, 28, 29];

describe.skipIf(!hasPrlimit)('a start with few descriptors (needs prlimit)', () => {
  it.each(LIMITS)('says that they are too few: %d', (limit) => {
    using directory = temporaryDirectory('descriptors');
    const args = [`--data-dir=${directory.path}/data`, '--secure-port=0', '--bind-address=127.0.0.1'];
    const command = [`--nofile=${limit}:${limit}`, process.execPath, binary, ...args];
    const { status, signal, stderr } = spawnSync(PRLIMIT, command, { encoding: 'utf8', timeout: 30_000 });
    expect([status, signal, stderr]).toEqual([
      1,
      null,
      expect.stringMatching(/too many open files|unable to open database file/),
    ]);
  });
});
