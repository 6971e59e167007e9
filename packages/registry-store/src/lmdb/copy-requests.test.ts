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
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { copyFiles, copyId, STALE_AFTER_MS } from './copy-files.js';
import { CopyRequests } from './copy-requests.js';

const ID = '6d1f8f0e-4f0a-4c58-9d2c-3f7b5a1c9e00';
const LATER_ID = '6d1f8f0e-4f0a-4c58-9d2c-3f7b5a1c9e01';
const INTERVAL = 5_000;

/** Requests of a folder, which are looked for by `look`. Those with a later identifier are served later. */
function served(copy: (path: string) => Promise<void>) {
  const folder = temporaryDirectory();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const requests = new CopyRequests({ directory: folder.path, interval: INTERVAL, copy });
  onTestFinished(() => {
    requests.stop();
    vi.useRealTimers();
    folder[Symbol.dispose]();
  });
  const look = () => vi.advanceTimersByTime(INTERVAL);
  const poll = <T>(read: () => T) =>
    expect.poll(() => {
      look();
      return read();
    });
  const [files, later] = [copyFiles(folder.path, ID), copyFiles(folder.path, LATER_ID)];
  return { directory: folder.path, files, later, requests, look, poll };
}

it('copies the store for a request, once', async () => {
  const copied: string[] = [];
  const { files, later, poll } = served(async (path) => {
    copied.push(path);
    writeFileSync(path, 'content');
  });
  writeFileSync(files.request, '');
  await poll(() => existsSync(files.copy)).toBe(true);
  expect(readFileSync(files.copy, 'utf8')).toBe('content');
  writeFileSync(later.request, '');
  await poll(() => existsSync(later.copy)).toBe(true);
  expect(copied.map((path) => dirname(path))).toEqual([files.part, later.part]);
  await poll(() => existsSync(later.part)).toBe(false);
});

it.skipIf(process.platform === 'win32')('lets no other user read a copy, even while it is written', async () => {
  const modes: number[] = [];
  const mode = (path: string) => statSync(path).mode & 0o777;
  const { directory, files, poll } = served(async (path) => {
    writeFileSync(path, 'secret', { mode: 0o644 });
    modes.push(mode(path) & mode(dirname(path)));
  });
  chmodSync(directory, 0o755);
  writeFileSync(files.request, '');
  await poll(() => existsSync(files.copy)).toBe(true);
  expect([...modes, mode(files.copy)]).toEqual([0o600, 0o600]);
});

it('reports why there is no copy, and leaves no part of it', async () => {
  let attempts = 0;
  const { files, later, poll } = served(async (path) => {
    attempts++;
    writeFileSync(path, 'half');
    throw new RangeError('no space');
  });
  writeFileSync(files.request, '');
  await poll(() => existsSync(files.error)).toBe(true);
  expect(readFileSync(files.error, 'utf8')).toBe('no space');
  if (process.platform !== 'win32') expect(statSync(files.error).mode & 0o777).toBe(0o600);
  writeFileSync(later.request, '');
  await poll(() => existsSync(later.error)).toBe(true);
  expect([existsSync(files.part), attempts]).toEqual([false, 2]);
});

it('reports nothing once it is stopped: the store will be free', async () => {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  let attempts = 0;
  const { directory, files, requests, look } = served(() => {
    attempts++;
    begun.resolve();
    return end.promise;
  });
  writeFileSync(files.request, '');
  look();
  await begun.promise;
  requests.stop();
  end.reject(new RangeError('the store is closed'));
  await expect.poll(() => readdirSync(directory)).toEqual([basename(files.request)]);
  expect([vi.getTimerCount(), attempts]).toEqual([0, 1]);
});

it('removes what a killed process has left, and nothing else', async () => {
  const { directory, files, later: dead, poll } = served(async () => {});
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/data.mdb`, 'store');
  writeFileSync(files.copy, 'content');
  const past = new Date(Date.now() - STALE_AFTER_MS - 1000);
  mkdirSync(dead.part);
  writeFileSync(`${dead.part}/data.mdb`, 'half');
  writeFileSync(dead.request, '');
  utimesSync(dead.request, past, past);
  await poll(() => readdirSync(directory)).toEqual(['data.mdb']);
});

it('removes all files of an abandoned copy', async () => {
  const { directory, files, poll } = served(async () => {});
  const past = new Date(Date.now() - STALE_AFTER_MS - 1000);
  for (const path of [files.copy, files.lock, files.error]) writeFileSync(path, 'x');
  mkdirSync(files.part);
  writeFileSync(files.request, '');
  utimesSync(files.request, past, past);
  await poll(() => readdirSync(directory)).toEqual([]);
});

it('serves a request that was touched a minute ago', async () => {
  const touched = new Date(2030, 0);
  using _now = vi.spyOn(Date, 'now').mockReturnValue(touched.getTime() + STALE_AFTER_MS);
  const { files, look } = served(async (path) => writeFileSync(path, 'content'));
  writeFileSync(`${files.request}.new`, '');
  utimesSync(`${files.request}.new`, touched, touched);
  renameSync(`${files.request}.new`, files.request);
  look();
  await vi.waitFor(() => expect(existsSync(files.copy)).toBe(true), { timeout: 30_000 });
  expect(existsSync(files.request)).toBe(true);
});

it('serves one request at a time, also after its folder was missing', async () => {
  const copied: string[] = [];
  let busy = 0;
  const { directory, files, later, look, poll } = served(async (path) => {
    busy++;
    copied.push(`${basename(dirname(path))} ${busy}`);
    await eventLoopTurns();
    writeFileSync(path, 'content');
    busy--;
  });
  renameSync(directory, `${directory}-away`);
  look();
  renameSync(`${directory}-away`, directory);
  // Of an earlier request, which was not served.
  mkdirSync(files.part);
  writeFileSync(`${files.part}/other.mdb`, 'half');
  writeFileSync(files.request, '');
  writeFileSync(later.request, '');
  await poll(() => existsSync(files.copy) && existsSync(later.copy)).toBe(true);
  expect(copied).toEqual([`${basename(files.part)} 1`, `${basename(later.part)} 1`]);
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
