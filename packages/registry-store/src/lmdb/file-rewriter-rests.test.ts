import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { DataFile } from './data-file.js';
import type { EntryCursor } from './entry-cursor.js';
import { openEnvironment } from './environment.js';
import type { FileRewriter } from './file-rewriter.js';

describe('a count that rests', () => {
  let folder: ReturnType<typeof temporaryDirectory>;
  let file: DataFile;
  let rewriter: FileRewriter;
  let counted: MockInstance<EntryCursor['next']>;
  /** The signals of all rests. */
  let rests: (AbortSignal | undefined)[];

  beforeEach(async () => {
    folder = temporaryDirectory();
    rests = [];
    // Every rest lasts until it is aborted.
    vi.doMock('node:timers/promises', async (original) => {
      const timers = await original<typeof import('node:timers/promises')>();
      const held: typeof timers.setTimeout = (_delay, value, options) => {
        rests.push(options?.signal);
        return timers.setTimeout(2 ** 31 - 1, value, options);
      };
      return { ...timers, setTimeout: held };
    });
    // Another file may have loaded it with true timers.
    vi.resetModules();
    const { FileRewriter } = await import('./file-rewriter.js');
    counted = vi.spyOn((await import('./entry-cursor.js')).EntryCursor.prototype, 'next');
    const path = join(folder.path, 'data.mdb');
    const database = await openEnvironment(path);
    await Promise.all(Array.from({ length: 600 }, (_, i) => database.put(Buffer.from(`${i}`), Buffer.from('v'))));
    file = new DataFile(database, path);
    rewriter = new FileRewriter({
      fsync: false,
      small: 0,
      maxRatio: 1_000_000,
      maxRatioInUse: 1_000_000,
      file: () => file,
      use: () => {},
      broken: () => {},
      exclusively: async (work) => await work(),
    });
  });
  afterEach(async () => {
    await rewriter.stop();
    vi.doUnmock('node:timers/promises');
    vi.resetModules();
    await file.database.close();
    folder[Symbol.dispose]();
  });

  it('goes on without rests once a copy waits for it', async () => {
    rewriter.consider();
    expect([counted.mock.calls.length, rests.map((signal) => signal?.aborted)]).toEqual([1, [false]]);
    const copied = rewriter.copyTo(join(folder.path, 'copy.mdb'));
    expect(rests[0]?.aborted).toBe(true);
    await copied;
    // Steps of 256 entries, and one that finds no more.
    expect([counted.mock.calls.length, rests.length]).toEqual([4, 1]);
  });

  it('is not continued after a stop that a copy waits for, too', async () => {
    rewriter.consider();
    const copied = rewriter.copyTo(join(folder.path, 'copy.mdb'));
    const stopped = rewriter.stop();
    await expect(copied).rejects.toThrow(new RangeError('the store is closed'));
    await stopped;
    expect(counted).toHaveBeenCalledTimes(1);
  });
});
