import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, it } from 'vitest';
import { makeFolder } from './make-folder.js';

const root = mkdtempSync(join(tmpdir(), 'make-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

it('makes a folder and those above it, and takes one that is there', () => {
  const folder = join(root, 'a', 'b');
  makeFolder(folder, 0o700);
  makeFolder(folder, 0o755);
  expect([statSync(join(root, 'a')).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o700, 0o700]);
});

it('names a file in its place', () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  for (const folder of [file, join(file, 'a', 'b')]) {
    expect(() => makeFolder(folder, 0o700)).toThrow(`mkdir ${file}: not a directory`);
  }
});

it.skipIf(process.platform !== 'linux')('fails below a folder that accepts none, and does not hang', () => {
  expect(() => makeFolder('/proc/nothing/a/b', 0o700)).toThrow('mkdir /proc/nothing: no such file or directory');
});

/** Makes the folders that the main thread names by number, at the same time as it does. */
const RIVAL = `
  const { mkdirSync } = require('node:fs');
  const { workerData: { root, round, rounds } } = require('node:worker_threads');
  for (let next = 1; next <= rounds; next++) {
    while (Atomics.load(round, 0) < next);
    mkdirSync(root + '/race-' + next + '/a/b/c/d/e', { recursive: true });
  }
`;

it('takes folders that others make at the same time', async () => {
  const round = new Int32Array(new SharedArrayBuffer(4));
  const rounds = 300;
  const rival = new Worker(RIVAL, { eval: true, workerData: { root, round, rounds } });
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  rival.once('exit', resolve);
  await new Promise((online) => rival.once('online', online));
  let failure: unknown;
  for (let next = 1; next <= rounds; next++) {
    Atomics.store(round, 0, next);
    try {
      makeFolder(join(root, `race-${next}`, 'a', 'b', 'c', 'd', 'e'), 0o700);
    } catch (error) {
      failure ??= error;
    }
  }
  expect([failure, await ended]).toEqual([undefined, 0]);
});
