import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prefixEnd } from '../key-value-store.js';
import { currentDataFile } from '../lmdb/data-files.js';
import { openLmdbStore } from '../lmdb/open-lmdb-store.js';
import { bundleWriter } from '../testing/crash-rounds.js';
import { temporaryDirectory } from '../testing/temporary-directory.js';
import { backUpStore } from './back-up-store.js';
import { restoreStore } from './restore-store.js';

/** The newest acknowledged value of each key. */
function acknowledged(output: string): Map<string, { readonly revision: number; readonly value: string }> {
  const lines = output.split('\n').slice(0, -1);
  return new Map(
    lines.map((line) => {
      const [revision = '', key = '', value = ''] = line.split(' ');
      return [key, { revision: Number(revision), value }];
    }),
  );
}

it('includes everything acknowledged, although the data file is replaced all the time', async () => {
  using folder = temporaryDirectory();
  const directory = join(folder.path, 'store');
  const writer = await bundleWriter(folder.path);
  const child = spawn(process.execPath, [writer, directory, 'online'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'exit').then(([code]) => `the writer exited with ${code}`);
  await once(child.stdout, 'data');
  const seen = new Set<string | undefined>();
  for (let round = 0; round < 15; round++) {
    const before = acknowledged(output);
    seen.add(currentDataFile(directory));
    const file = join(folder.path, `backup-${round}`);
    const now = () => new Date();
    const backedUp = await Promise.race([ended, backUpStore({ directory, file, version: 'v1.36.0', now })]);
    if (typeof backedUp === 'string') throw new Error(backedUp);
    const { revision } = backedUp;
    const restored = join(folder.path, `restored-${round}`);
    await restoreStore({ directory: restored, file, bump: 0, now });
    await using store = await openLmdbStore({ directory: restored, compactionInterval: 0 });
    const { kvs } = await store.range({ start: '/', end: prefixEnd('/') });
    const found = new Map(kvs.map((kv) => [kv.key, kv.modRevision]));
    for (const [key, reported] of before) expect(found.get(key)).toBeGreaterThanOrEqual(reported.revision);
    expect(Math.max(...found.values())).toBe(revision);
  }
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(seen.size).toBeGreaterThan(3);
});
