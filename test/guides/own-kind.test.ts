import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ApiServer } from '@apiserver/generic-server';
import { openLmdbStore } from '@apiserver/registry-store/lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { consoleExamples, expectLines } from './console-examples.ts';
import { startHarbour } from './own-kind/harbour.ts';
import { launchBoat } from './own-kind/sailors.ts';

const PAGE = 'docs/serving-your-own-kind.md';
const page = readFileSync(join(repositoryRoot, PAGE), 'utf8');
const run = promisify(execFile);
const folder = temporaryDirectory('own-kind');
const kubeconfig = join(folder.path, 'harbour.kubeconfig');
let api: ApiServer;

beforeAll(async () => {
  api = await startHarbour(await openLmdbStore({ directory: join(folder.path, 'harbour-data') }), kubeconfig);
  const [, boat = ''] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
  writeFileSync(join(folder.path, 'boat.json'), boat);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const missing = kubectlMissing();
describe.skipIf(missing !== undefined)(`kubectl${missing === undefined ? '' : `: ${missing}`}`, () => {
  it('prints the output of the page, one command after the other', async () => {
    const options = { cwd: folder.path, env: { ...process.env, HOME: folder.path, KUBECONFIG: kubeconfig } };
    const examples = consoleExamples(PAGE);
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) {
      const printed = run('bash', ['-c', example.command], options);
      const { stdout, stderr } = await printed.catch((error: { stdout: string; stderr: string }) => error);
      expectLines(stdout + stderr, example);
    }
  });
});

it('serves the program itself', async () => {
  expect(await launchBoat(api, 'orca')).toMatchObject({
    metadata: { namespace: 'sea', name: 'orca' },
    spec: { berths: 4 },
  });
  await expect(launchBoat(api, 'orca')).rejects.toThrow('boats.harbour.example.com "orca" already exists');
});
