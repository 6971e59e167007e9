import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const disk = { synced: 0, error: null as NodeJS.ErrnoException | null };
let writeFileDurably: typeof import('./private-file.js').writeFileDurably;
let folder: string;
let path: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'durable-file-'));
  path = join(folder, 'key');
  Object.assign(disk, { synced: 0, error: null });
  vi.doMock('node:fs', async (original) => ({
    ...(await original<typeof import('node:fs')>()),
    fsync: (_file: number, done: (error: NodeJS.ErrnoException | null) => void) => {
      disk.synced++;
      done(disk.error);
    },
  }));
  // Another file may have loaded it with the true file system.
  vi.resetModules();
  ({ writeFileDurably } = await import('./private-file.js'));
});
afterEach(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
  rmSync(folder, { recursive: true });
});

it('syncs the file, then the folder that names it', async () => {
  await writeFileDurably(path, 'secret', 0o600);
  // Windows cannot sync a folder, and has no modes.
  const isPosix = process.platform !== 'win32';
  expect([readFileSync(path, 'utf8'), disk.synced]).toEqual(['secret', isPosix ? 2 : 1]);
  if (isPosix) expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('leaves the old file and nothing else if the disk fails', async () => {
  await writeFileDurably(path, 'old', 0o600);
  disk.error = new Error('EIO');
  await expect(writeFileDurably(path, 'new', 0o600)).rejects.toThrow('EIO');
  expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['key'], 'old']);
});
