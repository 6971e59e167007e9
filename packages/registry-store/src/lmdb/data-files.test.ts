import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import {
  announceDataFile,
  currentDataFile,
  nextDataFile,
  prepareDataFile,
  removeLeftovers,
  withdrawDataFile,
} from './data-files.js';

it.each([
  [undefined, 'data.mdb'],
  ['data.mdb', 'data-1.mdb'],
  ['data-1.mdb', 'data-2.mdb'],
  ['data-19.mdb', 'data-20.mdb'],
])('the data file after %s is %s', (name, next) => {
  expect(nextDataFile(name)).toBe(next);
});

describe('a folder', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['is empty', {}, undefined],
    ['has other files', { 'data.txt': 'x', 'data-1.mdb-lock': 'x' }, undefined],
    ['has CURRENT', { CURRENT: 'data-2.mdb\n', 'data-1.mdb': 'x', 'data-2.mdb': 'x' }, 'data-2.mdb'],
    ['lost CURRENT', { 'data-1.mdb': 'x', 'data.mdb': 'x' }, 'data.mdb'],
    ['has an empty CURRENT', { CURRENT: '', 'data.mdb': 'x' }, 'data.mdb'],
  ])('that %s has the expected data file', (_, files, expected) => {
    using folder = temporaryDirectory();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
    expect(currentDataFile(folder.path)).toBe(expected);
  });

  it('names all of its files if it lost CURRENT', () => {
    using folder = temporaryDirectory();
    for (const name of ['data-1.mdb', 'data-2.mdb']) writeFileSync(join(folder.path, name), 'x');
    expect(() => currentDataFile(folder.path)).toThrow(
      `${join(folder.path, 'CURRENT')}, which says which of data-1.mdb, data-2.mdb is the store, is missing`,
    );
  });

  it('whose CURRENT cannot be read is not opened', () => {
    using folder = temporaryDirectory();
    mkdirSync(join(folder.path, 'CURRENT'));
    expect(() => currentDataFile(folder.path)).toThrow('EISDIR');
  });

  it('keeps the store and its lock file, and loses leftovers', async () => {
    using folder = temporaryDirectory();
    const leftovers = [
      ...['data.mdb', 'data.mdb-lock', 'data-1.mdb-room', 'data-2.mdb', 'data-2.mdb-lock', 'data-2.mdb-room'],
      ...['lock.mdb', 'CURRENT.new'],
    ];
    const kept = ['CURRENT', 'data-1.mdb', 'data-1.mdb-lock', 'data-1.mdb.old', 'lock.sqlite', 'my-data.mdb'];
    for (const name of [...leftovers, ...kept]) writeFileSync(join(folder.path, name), 'x');
    await removeLeftovers(folder.path, 'data-1.mdb');
    expect(readdirSync(folder.path).toSorted()).toEqual(kept);
  });

  it.each([true, false])(
    'gets its next data file in two steps, the first can be taken back (flushed: %s)',
    async (flushed) => {
      using folder = temporaryDirectory();
      const names = () => readdirSync(folder.path);
      await withdrawDataFile(folder.path);
      await prepareDataFile(folder.path, 'data-1.mdb', flushed);
      const prepared = names();
      await withdrawDataFile(folder.path);
      expect([prepared, names()]).toEqual([['CURRENT.new'], []]);
      await prepareDataFile(folder.path, 'data-2.mdb', flushed);
      await announceDataFile(folder.path);
      expect(names()).toEqual(['CURRENT']);
      expect(readFileSync(join(folder.path, 'CURRENT'), 'utf8')).toBe('data-2.mdb\n');
      if (process.platform !== 'win32') expect(statSync(join(folder.path, 'CURRENT')).mode & 0o777).toBe(0o600);
    },
  );
});
