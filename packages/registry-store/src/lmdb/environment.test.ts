import { expect, it } from 'vitest';
import { loadLmdb } from './environment.js';

it('names the library that cannot be loaded, and the first line of the reason', async () => {
  const cause = new Error("Cannot find module '@lmdb/lmdb-linux-x64'\nRequire stack:\n- /app/server.cjs");
  await expect(loadLmdb(() => Promise.reject(cause))).rejects.toMatchObject({
    keyValueErrorCode: 'Unavailable',
    message: "cannot load lmdb, which has a native library: Cannot find module '@lmdb/lmdb-linux-x64'",
    cause,
  });
});
