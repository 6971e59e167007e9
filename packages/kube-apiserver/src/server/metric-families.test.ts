import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubeApiServerConfig } from '../config/kube-api-server-config.js';
import { type RunningKubeApiserver, startKubeApiserver } from '../start/start-kube-apiserver.js';

let dataDirectory: string;
let server: RunningKubeApiserver;
const configs: KubeApiServerConfig[] = [];
beforeAll(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'metric-families-'));
  const configure = (config: KubeApiServerConfig) => void configs.push(config);
  server = await startKubeApiserver({
    dataDirectory,
    storageBackend: 'memory',
    configure,
    flags: ['--profiling=false'],
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(dataDirectory, { recursive: true });
});

const exposed = async () => (await configs[0]?.generic.metrics.expose())?.text ?? '';

it('gives each family a help text', async () => {
  const helps = (await exposed()).split('\n').filter((line) => line.startsWith('# HELP '));
  expect(helps.length).toBeGreaterThan(60);
  expect(helps.filter((line) => !/^# HELP \w+ \S.*\.$/.test(line) && !/ (process|nodejs)_/.test(line))).toEqual([]);
});

it('counts the addresses and node ports of services', async () => {
  await expect
    .poll(exposed)
    .toMatch(/kube_apiserver_clusterip_allocator_allocated_ips\{cidr="10\.0\.0\.0\/24"\} [1-9]/);
  expect(await exposed()).toContain('kube_apiserver_nodeport_allocator_available_ports');
});

it('applies the flags of profiling', () => {
  expect(configs[0]?.generic.debugging).toMatchObject({ profiling: false, socketPath: '' });
});
