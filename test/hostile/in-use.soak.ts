import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { WRITE_CASES } from './cases/writes.ts';
import { type HostileCase, type HostileRequest, MIB } from './hostile-case.ts';
import { HttpsAttacker } from './https-attacker.ts';

// Memory in use, without garbage: the bound of docs/security.md. `hostile.soak.ts` measures resident memory, whose
// garbage hides a second copy of an object.
const FACTOR = 20;
/** Small requests: connections, code that is compiled. */
const NOISE_MIB = 1;

const recorder = fileURLToPath(new URL('./in-use-recorder.mjs', import.meta.url));
const folder = temporaryDirectory('in-use');
const file = join(folder.path, 'in-use');

let server: ApiServer;
let attacker: HttpsAttacker;
let names = 0;
beforeAll(async () => {
  process.env['IN_USE_FILE'] = file;
  const nodeOptions = ['--expose-gc', '--single-threaded-gc', `--import=${recorder}`];
  server = await startApiServer({ dataDirectory: join(folder.path, 'data'), nodeOptions, startDeadline: 120_000 });
  delete process.env['IN_USE_FILE'];
  attacker = new HttpsAttacker(server.port, readCredentials(server.kubeconfig));
});
afterAll(async () => {
  attacker[Symbol.dispose]();
  await server.stop();
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const bytesOf = ({ body = '' }: HostileRequest): number => Buffer.byteLength(body);
/** Bytes in use after each turn, during some work. */
async function recorded(work: () => Promise<unknown>): Promise<readonly number[]> {
  writeFileSync(file, '');
  await work();
  // A busy server writes its first line late.
  while (statSync(file).size === 0) await sleep(50);
  const lines = readFileSync(file, 'utf8').trim().split('\n').map(Number);
  rmSync(file);
  return lines;
}

/** Sends the requests that prepare a case, and returns its own. */
async function prepared({ before = [], request }: HostileCase): Promise<HostileRequest> {
  for (const preparation of before) await attacker.send(preparation);
  return request(`in-use-${names++}`);
}

/** The growth of memory in use by one request, and the bytes that it and the stored object were sent in. */
async function measured(hostile: HostileCase): Promise<{ readonly grown: number; readonly sent: number }> {
  const made = await prepared(hostile);
  const idle = Math.min(...(await recorded(() => sleep(500))));
  const most = Math.max(...(await recorded(() => attacker.send(made).then(() => sleep(100)))));
  const sent = [...(hostile.before ?? []), made].reduce((sum, one) => sum + bytesOf(one), 0);
  return { grown: (most - idle) / MIB, sent: sent / MIB };
}

const cases = WRITE_CASES.filter(({ status = 0 }) => status === 200 || status === 201);
it.each(cases.map((hostile) => [hostile.name, hostile] as const))('%s', async (name, hostile) => {
  // The first run pays for compilation.
  await attacker.send(await prepared(hostile));
  const { grown, sent } = await measured(hostile);
  console.log(
    `soak: ${name.padEnd(60)} ${grown.toFixed(1)} MiB in use, ${(grown / sent).toFixed(1)} times what was sent`,
  );
  expect(grown).toBeLessThan(NOISE_MIB + FACTOR * sent);
});
