import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
/** Bytes that the disk has for the file. */
let room: number;
let replaceFile: typeof import('./private-file.js').replaceFile;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'replaced-file-'));
  path = join(folder, 'kubeconfig');
  vi.doMock('node:fs', async (original) => {
    const real = await original<typeof import('node:fs')>();
    return {
      ...real,
      writeFileSync: () => {
        throw full();
      },
      writeSync: (...[file, bytes, offset, length, position]: [number, Uint8Array, number, number, number]) => {
        if (position >= room) throw full();
        return real.writeSync(file, bytes, offset, Math.min(length, room - position), position);
      },
    };
  });
  vi.resetModules();
  ({ replaceFile } = await import('./private-file.js'));
});
afterEach(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
  rmSync(folder, { recursive: true });
});

it.each([
  ['a shorter content', 20, 'short', 'short'],
  ['a longer content in its room', 20, 'x'.repeat(20), 'x'.repeat(20)],
  ['no content that is longer than its room, and keeps the old one', 15, 'x'.repeat(20), 'old content'],
])('a file on a full disk gets %s', (_, most, content, expected) => {
  room = most;
  writeFileSync(path, 'old content');
  chmodSync(path, 0o644);
  const replace = () => replaceFile(path, content, 0o600);
  if (expected === content) replace();
  else expect(replace).toThrow(`cannot write ${path}`);
  expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['kubeconfig'], expected]);
  // Windows has no modes.
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('makes no file that is not there on a full disk', () => {
  expect(() => replaceFile(path, 'new', 0o600)).toThrow(`cannot write ${path}`);
  expect(readdirSync(folder)).toEqual([]);
});
