import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { copyFiles, STALE_AFTER } from './copy-files.js';
import { CopyRequests } from './copy-requests.js';

const ID = '6d1f8f0e-4f0a-4c58-9d2c-3f7b5a1c9e00';

function served(copy: (path: string) => Promise<void>) {
  const folder = temporaryDirectory();
  const requests = new CopyRequests({ directory: folder.path, interval: 5, copy });
  onTestFinished(() => {
    requests.stop();
    folder[Symbol.dispose]();
  });
  return { directory: folder.path, files: copyFiles(folder.path, ID), requests };
}

it('copies the store for a request, once', async () => {
  const copied: string[] = [];
  const { files } = served(async (path) => {
    copied.push(path);
    writeFileSync(path, 'content');
  });
  writeFileSync(files.request, '');
  await expect.poll(() => existsSync(files.copy)).toBe(true);
  expect(readFileSync(files.copy, 'utf8')).toBe('content');
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(copied.map((path) => dirname(path))).toEqual([files.part]);
  await expect.poll(() => existsSync(files.part)).toBe(false);
});

it.skipIf(process.platform === 'win32')('lets no other user read a copy, even while it is written', async () => {
  const modes: number[] = [];
  const mode = (path: string) => statSync(path).mode & 0o777;
  const { directory, files } = served(async (path) => {
    writeFileSync(path, 'secret', { mode: 0o644 });
    modes.push(mode(path) & mode(dirname(path)));
  });
  chmodSync(directory, 0o755);
  writeFileSync(files.request, '');
  await expect.poll(() => existsSync(files.copy)).toBe(true);
  expect([...modes, mode(files.copy)]).toEqual([0o600, 0o600]);
});

it('reports why there is no copy, and leaves no part of it', async () => {
  const { files } = served(async (path) => {
    writeFileSync(path, 'half');
    throw new RangeError('no space');
  });
  writeFileSync(files.request, '');
  await expect.poll(() => existsSync(files.error)).toBe(true);
  expect(readFileSync(files.error, 'utf8')).toBe('no space');
  expect(existsSync(files.part)).toBe(false);
});

it('reports nothing once it is stopped: the store will be free', async () => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const { directory, files, requests } = served(() => {
    begun.resolve();
    return end.promise;
  });
  writeFileSync(files.request, '');
  await begun.promise;
  requests.stop();
  end.reject(new RangeError('the store is closed'));
  await expect.poll(() => readdirSync(directory)).toEqual([basename(files.request)]);
});

it('removes what a killed process has left, and nothing else', async () => {
  const { directory, files } = served(async () => {});
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/data.mdb`, 'store');
  writeFileSync(files.copy, 'content');
  const past = new Date(Date.now() - STALE_AFTER - 1000);
  const dead = copyFiles(directory, ID.replace(/00$/, '01'));
  mkdirSync(dead.part);
  writeFileSync(`${dead.part}/data.mdb`, 'half');
  writeFileSync(dead.request, '');
  utimesSync(dead.request, past, past);
  await expect.poll(() => readdirSync(directory)).toEqual(['data.mdb']);
});
