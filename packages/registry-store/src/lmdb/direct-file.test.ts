import { closeSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { openDirect, writeAll } from './direct-file.js';
import { BLOCK } from './journal-batches.js';

/** Files of this process that are open at a path. */
const openAt = (path: string) =>
  readdirSync('/proc/self/fd').filter((file) => {
    try {
      return readlinkSync(join('/proc/self/fd', file)) === path;
    } catch {
      return false;
    }
  });

it('whole blocks of each buffer can be written, and the file is as large as before', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'file');
  writeFileSync(path, Buffer.alloc(4 * BLOCK));
  const direct = await openDirect(path, BLOCK, [2 * BLOCK, BLOCK]);
  // Undefined on file systems without it, such as tmpfs of old kernels: JournalFile does without it then.
  if (direct === undefined) return expect(openAt(path)).toEqual([]);
  const [first, second] = direct.buffers as [Buffer, Buffer];
  expect([first.length, second.length]).toEqual([2 * BLOCK, BLOCK]);
  first.fill('1', 0, BLOCK).fill('2', BLOCK);
  second.fill('3');
  await writeAll(direct.file, first, 0);
  await writeAll(direct.file, first.subarray(BLOCK), 2 * BLOCK);
  await writeAll(direct.file, second, 3 * BLOCK);
  closeSync(direct.file);
  expect(readFileSync(path).equals(Buffer.concat([first, first.subarray(BLOCK), second]))).toBe(true);
});

it('leaves no file open where such writes are impossible', async () => {
  // A pseudo file system, which only takes lines.
  const path = '/proc/self/comm';
  expect([await openDirect(path, 0, [BLOCK]), openAt(path)]).toEqual([undefined, []]);
});
