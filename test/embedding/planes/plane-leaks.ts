import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The remains of planes that have ended. */
export interface PlaneLeaks {
  /** Resources that keep the process alive, and open files, that were not there before the planes. */
  readonly resources: readonly string[];
  readonly openFiles: number;
  /** Names in the folder for temporary files. */
  readonly files: readonly string[];
  readonly heapMiB: number;
}

/** Each plane is used as a test does; the first ones only warm up. */
const program = `
  import { readdirSync } from 'node:fs';
  import { request } from 'node:https';
  import { startControlPlane } from '@apiserver/envtest';
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' } };
  const namespaces = '/api/v1/namespaces';
  const overTls = (plane) => new Promise((resolve, reject) => {
    const options = { ca: plane.authority, agent: false };
    request(plane.url + '/version', options, (response) => response.resume().on('close', resolve)).on('error', reject).end();
  });
  async function usePlane(run) {
    await using plane = await startControlPlane(run % 5 === 0 ? { crds: definition, objects: widget } : {});
    plane.kubeconfigFile();
    const aborted = new AbortController();
    await plane.fetch(namespaces + '?watch=true', { signal: aborted.signal });
    if (run % 5 === 1) await overTls(plane);
    if (run % 5 === 2) await (await plane.user('alice').fetch(namespaces)).text();
    if (run % 5 === 3) {
      await using fork = await plane.fork();
      await (await fork.fetch(namespaces)).text();
      await plane.restore(fork.snapshot());
    }
    if (run % 2 === 0) aborted.abort();
  }
  async function state() {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 10));
    gc();
    gc();
    return {
      resources: process.getActiveResourcesInfo(),
      openFiles: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
      heapMiB: process.memoryUsage().heapUsed / 2 ** 20,
    };
  }
  const [warmUp, starts] = process.argv.slice(1).map(Number);
  for (let run = 0; run < warmUp; run++) await usePlane(run);
  const before = await state();
  for (let run = 0; run < starts; run++) await usePlane(run);
  const after = await state();
  const remaining = [...after.resources];
  for (const name of before.resources) if (remaining.includes(name)) remaining.splice(remaining.indexOf(name), 1);
  console.log(JSON.stringify({
    resources: remaining,
    openFiles: after.openFiles - before.openFiles,
    files: readdirSync(process.env.TMPDIR),
    heapMiB: after.heapMiB - before.heapMiB,
  }));`;

/** Starts and ends a number of planes in a process of their own, and returns what they leave behind. */
export async function leaksOfPlanes(starts: number): Promise<PlaneLeaks> {
  const temporary = mkdtempSync(join(tmpdir(), 'plane-leaks-'));
  const env = { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  const args = ['--expose-gc', '--input-type=module', '-e', program, String(warmUp), String(starts)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname, env });
    return JSON.parse(stdout);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Caches are full after this many planes. */
const warmUp = 20;
