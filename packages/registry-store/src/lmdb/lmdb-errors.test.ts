import { execFileSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { KeyValueError } from '../key-value-error.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { commitFailure, openFailure, readFailure } from './lmdb-errors.js';

/** An error of lmdb with a number of the system or of LMDB. */
const failure = (code: number) => Object.assign(new Error(`error ${code}`), { code });

describe('commitFailure', () => {
  it.each([
    ['no space', 28, true, 'NoSpace'],
    ['over quota', 122, true, 'NoSpace'],
    ['over the size a file may have', 27, true, 'NoSpace'],
    ['no room in the map', -30792, true, 'NoSpace'],
    ['no space, and yet written', 28, false, 'Unavailable'],
    ['a failing disk', 5, true, 'Unavailable'],
    ['a damaged page', -30796, true, 'Corrupt'],
  ])('%s (%i, unchanged: %s): %s', async (_name, code, unchanged, keyValueErrorCode) => {
    const path = import.meta.filename;
    expect(await commitFailure(failure(code), { unchanged, path })).toMatchObject({ keyValueErrorCode });
  });

  it.each([5, 27, 28, 122, -30792])('is not about space if the tables have changed: %i', async (code) => {
    const commit = { unchanged: false, path: import.meta.filename };
    expect(await commitFailure(failure(code), commit)).toMatchObject({
      keyValueErrorCode: 'Unavailable',
      message: `the commit failed: error ${code}`,
      cause: { code },
    });
  });

  it('names the full disk', async () => {
    const commit = { unchanged: true, path: import.meta.filename };
    expect(await commitFailure(failure(28), commit)).toMatchObject({
      message: 'database space exceeded: no space left on the disk of the store',
    });
  });

  it.each([-30793, -30794, -30796, -30797])('is damage: %i', async (code) => {
    const commit = { unchanged: true, path: import.meta.filename };
    expect(await commitFailure(failure(code), commit)).toMatchObject({ keyValueErrorCode: 'Corrupt' });
    expect(readFailure(failure(code))).toMatchObject({ keyValueErrorCode: 'Corrupt', message: `error ${code}` });
    expect(openFailure(failure(code), '/d')).toMatchObject({ keyValueErrorCode: 'Corrupt' });
  });

  it.each([
    ['a code that is a text', Object.assign(new Error('x'), { code: '28' })],
    ['what is no error', { code: 28 }],
    ['no code', new Error('x')],
  ])('with %s is no matter of space', async (_name, error) => {
    const commit = { unchanged: true, path: import.meta.filename };
    expect(await commitFailure(error, commit)).toMatchObject({ keyValueErrorCode: 'Unavailable' });
  });

  it('of a disk whose space is unknown is no matter of space', async () => {
    expect(await commitFailure(failure(5), { unchanged: true, path: '/nowhere/at/all' })).toMatchObject({
      keyValueErrorCode: 'Unavailable',
    });
  });

  it('recognises a write that failed on a full disk', async (context) => {
    using directory = temporaryDirectory();
    const { path } = directory;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path], { stdio: 'ignore' });
    } catch {
      return context.skip('mounting a small file system is not allowed here');
    }
    try {
      expect(await commitFailure(failure(5), { unchanged: true, path })).toMatchObject({
        keyValueErrorCode: 'NoSpace',
      });
    } finally {
      execFileSync('umount', [path]);
    }
  });

  it("finds the cause of lmdb's general error", async () => {
    const general = Object.assign(new Error('Commit failed'), { commitError: Promise.reject(failure(28)) });
    expect(await commitFailure(general, { unchanged: true, path: import.meta.filename })).toMatchObject({
      keyValueErrorCode: 'NoSpace',
      cause: { code: 28 },
    });
  });

  it("reports lmdb's general error if its cause does not come within a second", async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const general = Object.assign(new Error('Commit failed'), { commitError: new Promise(() => {}) });
      const failed = commitFailure(general, { unchanged: true, path: import.meta.filename });
      const seen: string[] = [];
      const done = failed.then(({ message }) => void seen.push(message));
      await vi.advanceTimersByTimeAsync(999);
      expect(seen).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      await done;
      expect(seen).toEqual(['the commit failed: Commit failed']);
    } finally {
      vi.useRealTimers();
    }
  });
});

it.each([
  [-30797, 'Corrupt'],
  [5, 'Unavailable'],
])('a read or a start that fails with %i is %s', (code, keyValueErrorCode) => {
  expect(readFailure(failure(code))).toMatchObject({ keyValueErrorCode });
  expect(openFailure(failure(code), '/data/db')).toMatchObject({
    keyValueErrorCode,
    message: 'cannot open the store in /data/db',
  });
});

it('a read that failed with an error of the store keeps it', () => {
  const error = new KeyValueError('Compacted', 'gone');
  expect(readFailure(error)).toBe(error);
});

it('a file that lmdb refuses by text alone is damaged', () => {
  expect(openFailure(new Error('MDB_INVALID: File is not an LMDB file'), '/d')).toMatchObject({
    keyValueErrorCode: 'Corrupt',
  });
  expect(openFailure('text', '/d')).toMatchObject({ keyValueErrorCode: 'Unavailable', cause: 'text' });
});
