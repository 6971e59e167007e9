import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerIdentity } from '@apiserver/bootstrap-pki';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SharedContext } from './shared-context.js';
import { startKubeApiserver } from './start-kube-apiserver.js';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'shared-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

const identity = (keyFile: string) => ({ servingFiles: { keyFile } }) as ServerIdentity;

it('makes keys and certificates once for each set of options', async () => {
  const shared = new SharedContext();
  const made: string[] = [];
  const ensure = (name: string) => async () => {
    made.push(name);
    return identity(dataDirectory);
  };
  await shared.identity({ directory: 'a' }, ensure('first'));
  await shared.identity({ directory: 'a' }, ensure('second'));
  await shared.identity({ directory: 'b' }, ensure('third'));
  expect(made).toEqual(['first', 'third']);
});

it('makes them again when their files are gone, and after a failure', async () => {
  const shared = new SharedContext();
  await shared.identity({}, async () => identity(join(dataDirectory, 'gone')));
  await expect(shared.identity({}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const made = identity(dataDirectory);
  expect(await shared.identity({}, async () => made)).toBe(made);
});

it('servers of one folder have the same files', async () => {
  const shared = new SharedContext();
  const start = () => startKubeApiserver({ dataDirectory, storageBackend: 'memory', shared });
  await (await start()).stop();
  const files = readdirSync(join(dataDirectory, 'pki'));
  await using _server = await start();
  expect([files.includes('apiserver.key'), readdirSync(join(dataDirectory, 'pki'))]).toEqual([true, files]);
});
