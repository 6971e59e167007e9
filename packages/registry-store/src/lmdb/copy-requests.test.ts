import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { copyFiles, copyId, STALE_AFTER_MS } from './copy-files.js';
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
  await sleep(30);
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
  let attempts = 0;
  const { files } = served(async (path) => {
    attempts++;
    writeFileSync(path, 'half');
    throw new RangeError('no space');
  });
  writeFileSync(files.request, '');
  await expect.poll(() => existsSync(files.error)).toBe(true);
  expect(readFileSync(files.error, 'utf8')).toBe('no space');
  if (process.platform !== 'win32') expect(statSync(files.error).mode & 0o777).toBe(0o600);
  await sleep(30);
  expect([existsSync(files.part), attempts]).toEqual([false, 1]);
});

it('reports nothing once it is stopped: the store will be free', async () => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let attempts = 0;
  const { directory, files, requests } = served(() => {
    attempts++;
    begun.resolve();
    return end.promise;
  });
  writeFileSync(files.request, '');
  await begun.promise;
  requests.stop();
  end.reject(new RangeError('the store is closed'));
  await expect.poll(() => readdirSync(directory)).toEqual([basename(files.request)]);
  await sleep(30);
  expect(attempts).toBe(1);
});

it('removes what a killed process has left, and nothing else', async () => {
  const { directory, files } = served(async () => {});
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/data.mdb`, 'store');
  writeFileSync(files.copy, 'content');
  const past = new Date(Date.now() - STALE_AFTER_MS - 1000);
  const dead = copyFiles(directory, ID.replace(/00$/, '01'));
  mkdirSync(dead.part);
  writeFileSync(`${dead.part}/data.mdb`, 'half');
  writeFileSync(dead.request, '');
  utimesSync(dead.request, past, past);
  await expect.poll(() => readdirSync(directory)).toEqual(['data.mdb']);
});

it('removes all files of an abandoned copy', async () => {
  const { directory, files } = served(async () => {});
  const past = new Date(Date.now() - STALE_AFTER_MS - 1000);
  for (const path of [files.copy, files.lock, files.error]) writeFileSync(path, 'x');
  mkdirSync(files.part);
  writeFileSync(files.request, '');
  utimesSync(files.request, past, past);
  await expect.poll(() => readdirSync(directory)).toEqual([]);
});

it('serves a request that was touched a minute ago', async () => {
  const touched = new Date(2030, 0);
  using _now = vi.spyOn(Date, 'now').mockReturnValue(touched.getTime() + STALE_AFTER_MS);
  const { files } = served(async (path) => writeFileSync(path, 'content'));
  writeFileSync(`${files.request}.new`, '');
  utimesSync(`${files.request}.new`, touched, touched);
  renameSync(`${files.request}.new`, files.request);
  await vi.waitFor(() => expect(existsSync(files.copy)).toBe(true), { timeout: 30_000 });
  expect(existsSync(files.request)).toBe(true);
});

it('serves one request at a time, also after its folder was missing', async () => {
  const copied: string[] = [];
  let busy = 0;
  const { directory, files } = served(async (path) => {
    busy++;
    copied.push(`${basename(dirname(path))} ${busy}`);
    await sleep(30);
    writeFileSync(path, 'content');
    busy--;
  });
  renameSync(directory, `${directory}-away`);
  await sleep(30);
  renameSync(`${directory}-away`, directory);
  const second = copyFiles(directory, ID.replace(/00$/, '01'));
  // Of an earlier request, which was not served.
  mkdirSync(files.part);
  writeFileSync(`${files.part}/other.mdb`, 'half');
  writeFileSync(files.request, '');
  writeFileSync(second.request, '');
  await expect.poll(() => existsSync(files.copy) && existsSync(second.copy)).toBe(true);
  await sleep(60);
  expect(copied).toEqual([`${basename(files.part)} 1`, `${basename(second.part)} 1`]);
});

it('names the files of a copy by its identifier', () => {
  expect(copyFiles('/d', ID)).toEqual({
    request: join('/d', `copy-${ID}.request`),
    part: join('/d', `copy-${ID}.part`),
    copy: join('/d', `copy-${ID}.mdb`),
    lock: join('/d', `copy-${ID}.mdb-lock`),
    error: join('/d', `copy-${ID}.error`),
  });
  expect(Object.values(copyFiles('', ID)).map(copyId)).toEqual([ID, ID, ID, ID, ID]);
  expect(['data.mdb', `copy-${ID}.txt`, `copy-${ID}.mdb.old`, `a-copy-${ID}.mdb`].map(copyId)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
