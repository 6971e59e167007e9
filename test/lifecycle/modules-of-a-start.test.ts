import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startApiServer, temporaryDirectory } from '../harness/api-server.ts';

/** Each costs a start 0.2 to 2 ms, and an idle server 0.3 to 2 MiB. See scripts/bundle/plugins.mjs. */
const UNUSED = ['assert', 'fs/promises', 'http', 'https', 'tls'];

test('a server that waits for its first connection has not loaded what only connections and rare work use', async () => {
  using folder = temporaryDirectory('modules');
  const list = join(folder.path, 'modules.json');
  const probe = join(folder.path, 'probe.cjs');
  writeFileSync(
    probe,
    `setInterval(() => require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList)), 50).unref();`,
  );
  await using server = await startApiServer({ nodeOptions: [`--require=${probe}`] });
  // The log opens after readiness, with a library of its own.
  await expect.poll(() => server.stderr, { timeout: 30_000 }).toContain('Version: v');
  const loaded = await nextList(list);
  expect(loaded).toContain('NativeModule net');
  expect(UNUSED.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([]);
});

/** The modules that the server has loaded, not before now. */
async function nextList(file: string): Promise<readonly string[]> {
  writeFileSync(file, '');
  await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 30_000 }).toMatch(/\]$/);
  return JSON.parse(readFileSync(file, 'utf8'));
}
