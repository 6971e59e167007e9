import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { DataFile } from './data-file.js';
import { openEnvironment } from './environment.js';
import { LmdbTables } from './lmdb-tables.js';

const EIO = Object.assign(new Error('Input/output error'), { code: 5 });
const META = { revision: 2, compactedRevision: 1, prunedRevision: 1, tickTime: 0, tickRevision: 1 };

it('tells why a commit failed after which nothing can be read', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'data.mdb');
  const database = await openEnvironment(path);
  const tables = new LmdbTables(new DataFile(database, path), {
    ...{ fsync: true, small: 2 ** 40, maxRatio: 2, maxRatioInUse: 2, copyInterval: 60_000, closed: () => {} },
  });
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  vi.spyOn(database, 'batch').mockImplementation(() => {
    vi.spyOn(database, 'getBinary').mockImplementation(() => {
      throw new Error('MDB_PANIC: Update of meta page failed or environment had fatal error');
    });
    return Promise.reject(Object.assign(new Error('Commit failed'), { commitError: Promise.reject(EIO) }));
  });
  const writes = { index: new Map(), log: new Map(), expiries: [], meta: META };
  await expect(tables.commit(writes)).rejects.toThrow('the commit failed: Input/output error');
  await nextTurn();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  await tables.close();
});

it('handles the error of each write of a failed commit', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'data.mdb');
  const database = await openEnvironment(path);
  const tables = new LmdbTables(new DataFile(database, path), {
    ...{ fsync: true, small: 2 ** 40, maxRatio: 2, maxRatioInUse: 2, copyInterval: 60_000, closed: () => {} },
  });
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  vi.spyOn(database, 'put').mockImplementation(() =>
    Promise.reject(Object.assign(new Error('Commit failed'), { commitError: Promise.reject(EIO) })),
  );
  await tables.commit({ index: new Map(), log: new Map(), expiries: [], meta: META });
  await nextTurn();
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  await tables.close();
});
