import { join } from 'node:path';
import { keyValueStoreSuite, temporaryDirectory } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { openSqliteStore } from './open-sqlite-store.js';

keyValueStoreSuite('sqlite', async ({ clock }) => openSqliteStore(':memory:', { clock, compactionInterval: 0 }));

it('has everything again after a restart', async () => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'objects.sqlite');
  const value = new TextEncoder().encode('1');
  {
    await using store = openSqliteStore(path);
    await store.commit({ type: 'put', key: '/a', value, expectedRevision: 0 });
  }
  await using store = openSqliteStore(path);
  expect((await store.get('/a')).kv).toEqual({ key: '/a', value, modRevision: 2 });
});
