import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeApiServerConfig } from '../config/kube-api-server-config.js';
import { startKubeApiserver } from '../start/start-kube-apiserver.js';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'metric-families-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

/** Started in each test: a mutation test counts what a test runs, and nothing that a hook runs for all. */
async function started() {
  const configs: KubeApiServerConfig[] = [];
  const configure = (config: KubeApiServerConfig) => void configs.push(config);
  const flags = ['--profiling=false'];
  const server = await startKubeApiserver({ dataDirectory, storageBackend: 'memory', configure, flags });
  return {
    debugging: configs[0]?.generic.debugging,
    exposed: async () => (await configs[0]?.generic.metrics.expose())?.text ?? '',
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

it('gives each family a help text', async () => {
  await using server = await started();
  const helps = (await server.exposed()).split('\n').filter((line) => line.startsWith('# HELP '));
  expect(helps.length).toBeGreaterThan(60);
  expect(helps.filter((line) => !/^# HELP \w+ \S.*\.$/.test(line) && !/ (process|nodejs)_/.test(line))).toEqual([]);
});

it('counts the addresses and node ports of services', async () => {
  await using server = await started();
  await expect
    .poll(server.exposed)
    .toMatch(/kube_apiserver_clusterip_allocator_allocated_ips\{cidr="10\.0\.0\.0\/24"\} [1-9]/);
  expect(await server.exposed()).toContain('kube_apiserver_nodeport_allocator_available_ports');
});

it('applies the flags of profiling', async () => {
  await using server = await started();
  expect(server.debugging).toMatchObject({ profiling: false, socketPath: '' });
});
