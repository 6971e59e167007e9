import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@apiserver/apimachinery';
import { expect, it } from 'vitest';
import type { KubeApiServerConfig } from '../config/kube-api-server-config.js';
import { startKubeApiserver } from '../start/start-kube-apiserver.js';

const definitions = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };

/** Lists the definitions of a server with these flags. */
async function listed(...flags: string[]): Promise<unknown> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'apiextensions-'));
  const configs: KubeApiServerConfig[] = [];
  const server = await startKubeApiserver({
    dataDirectory,
    storageBackend: 'memory',
    flags,
    configure: (config) => void configs.push(config),
  });
  try {
    const [config] = configs;
    const list = await config?.generic.loopback.client.resource<KubeObject>(definitions).list('');
    return list?.items;
  } finally {
    await server.stop();
    rmSync(dataDirectory, { recursive: true });
  }
}

it('serves definitions, unless their resource is disabled', async () => {
  expect(await listed()).toEqual([]);
  await expect(listed('--runtime-config=apiextensions.k8s.io/v1=false')).rejects.toThrow('404 page not found');
});
