import { readdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { copyFiles, copyId } from '../lmdb/copy-files.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { copyOfServer } from './server-copy.js';

/** Waits for the request in that folder, and returns the files of its copy. */
async function requested(directory: string) {
  for (;;) {
    const id = readdirSync(directory).map(copyId)[0];
    if (id !== undefined) return copyFiles(directory, id);
    await sleep(1);
  }
}

const free = async () => false;

it('returns the copy of the server, and removes it when it is disposed', async () => {
  using folder = temporaryDirectory();
  const copying = copyOfServer({ directory: folder.path, free });
  const { copy } = await requested(folder.path);
  writeFileSync(copy, 'content');
  const made = await copying;
  expect(made?.path).toBe(copy);
  await made?.[Symbol.asyncDispose]();
  expect(readdirSync(folder.path)).toEqual([]);
});

it('leaves no request, although it is touched until the end', async () => {
  using folder = temporaryDirectory();
  for (let round = 0; round < 100; round++) {
    const copying = copyOfServer({ directory: folder.path, free, touchInterval: 1 });
    const { copy } = await requested(folder.path);
    writeFileSync(copy, 'content');
    await (await copying)?.[Symbol.asyncDispose]();
    await sleep(1);
    expect(readdirSync(folder.path)).toEqual([]);
  }
});

it('throws the reason of the server', async () => {
  using folder = temporaryDirectory();
  const copying = copyOfServer({ directory: folder.path, free });
  const { error } = await requested(folder.path);
  writeFileSync(error, 'no space');
  await expect(copying).rejects.toThrow('the server cannot copy its store: no space');
  expect(readdirSync(folder.path)).toEqual([]);
});

it('gives up when the server has ended', async () => {
  using folder = temporaryDirectory();
  expect(await copyOfServer({ directory: folder.path, free: async () => true })).toBeUndefined();
  expect(readdirSync(folder.path)).toEqual([]);
});

it('gives up when the server begins no copy', async () => {
  using folder = temporaryDirectory();
  const copying = copyOfServer({ directory: folder.path, free, patience: 50 });
  await expect(copying).rejects.toThrow('is in use by another process, which does not copy it on request');
  expect(readdirSync(folder.path)).toEqual([]);
});
