import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { startEtcdCluster } from './etcd-server.js';

const folder = mkdtempSync(join(tmpdir(), 'etcd-server-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('leaves no folder when a member fails to start', async () => {
  vi.stubEnv('TMPDIR', folder);
  // Node refuses the flags of etcd.
  vi.stubEnv('ETCD_BINARY', process.execPath);
  await expect(startEtcdCluster(2)).rejects.toThrow(/^etcd ended with 9$/);
  expect(readdirSync(folder)).toEqual([]);
});
