import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { DataFile } from './data-file.js';

afterEach(() => vi.restoreAllMocks());

it('misses its file within a second of use, also if another one takes its place', () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'data.mdb');
  writeFileSync(path, 'store');
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  // Nothing reads the database.
  const file = new DataFile(undefined as never, path);
  const checkAt = (milliseconds: number) => {
    clock.mockReturnValue(milliseconds);
    file.checkInPlace();
  };
  const lost = `${path} was removed or replaced while it was in use`;
  checkAt(1000);
  renameSync(path, `${path}.old`);
  checkAt(1999);
  expect(() => checkAt(2000)).toThrow(lost);
  writeFileSync(path, 'another');
  expect(file.size()).toBe(7);
  expect(() => checkAt(3000)).toThrow(lost);
  renameSync(`${path}.old`, path);
  checkAt(4000);
});
