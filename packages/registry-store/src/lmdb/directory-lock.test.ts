import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { lockDirectory } from './directory-lock.js';

/** Reports whether another process can take the lock of a folder. */
function isFree(directory: string): boolean {
  const program = "new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('BEGIN EXCLUSIVE')";
  const { status, stderr } = spawnSync(process.execPath, ['-e', program, join(directory, 'lock.sqlite')], {
    encoding: 'utf8',
  });
  if (status !== 0) expect(stderr).toContain('database is locked');
  return status === 0;
}

it('is kept when its own process tries to take it again, until its release', async () => {
  using folder = temporaryDirectory();
  const lock = await lockDirectory(folder.path);
  expect(isFree(folder.path)).toBe(false);
  await expect(lockDirectory(folder.path)).rejects.toMatchObject({ keyValueErrorCode: 'InUse' });
  expect(isFree(folder.path)).toBe(false);
  lock.release();
  expect(isFree(folder.path)).toBe(true);
});
