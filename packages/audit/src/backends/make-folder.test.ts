import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
