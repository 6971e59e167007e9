import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exporterTarget, exporterUrl } from './exporter-url.js';
import { startRelay } from './relay.js';

const { logger, lines } = createTestLogger(0);
const pathOf = (target: string) => target.replace('unix://', '');

describe('a relay', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'relay-test-'));
    vi.stubEnv('TMPDIR', folder);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it('continues each connection, and ends it with either side', async () => {
    const backends: Duplex[] = [];
    await using relay = await startRelay(async () => {
      const [near, far] = duplexPair();
      backends.push(far);
      return near;
    }, logger);
    const clients: Duplex[] = [];
    for (const i of [0, 1]) {
      const client = connect(pathOf(relay.target));
      clients.push(client);
      client.write(`from ${i}`);
      await expect.poll(() => backends.length).toBe(i + 1);
      expect(String((await once(backends[i] as Duplex, 'data'))[0])).toBe(`from ${i}`);
      backends[i]?.write(`to ${i}`);
      expect(String((await once(client, 'data'))[0])).toBe(`to ${i}`);
    }
    backends[0]?.destroy();
    await once(clients[0] as Duplex, 'close');
    clients[1]?.destroy();
    await expect.poll(() => backends[1]?.readableEnded || backends[1]?.destroyed).toBe(true);
  });

  it('closes a connection that cannot be continued, and logs why', async () => {
    await using relay = await startRelay(() => Promise.reject(new Error('no way')), logger);
    await once(connect(pathOf(relay.target)).resume(), 'close');
    expect(JSON.stringify(lines.map(({ error }) => String(error)))).toContain('no way');
  });

  it('leaves nothing', async () => {
    const relay = await startRelay(() => Promise.reject(new Error('no way')), logger);
    await relay[Symbol.asyncDispose]();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves nothing when it cannot listen', async () => {
    // No path of a socket is so long.
    const deep = join(folder, 'x'.repeat(150));
    mkdirSync(deep);
    vi.stubEnv('TMPDIR', deep);
    await expect(startRelay(() => Promise.reject(new Error('no way')), logger)).rejects.toThrow('listen');
    vi.stubEnv('TMPDIR', folder);
    expect(readdirSync(deep)).toEqual([]);
    rmSync(deep, { recursive: true });
  });

  it.runIf(process.platform === 'linux')('leaves nothing when its process is killed (Linux only)', async () => {
    await using relay = await startRelay(() => Promise.reject(new Error('no way')), logger);
    expect(readdirSync(folder)).toEqual([]);
    await once(connect(pathOf(relay.target)).resume(), 'close');
  });
});

it.each([
  [undefined, { hostname: 'localhost', port: 4317 }],
  ['dns:///otel.example:80', { hostname: 'otel.example', port: 80 }],
  ['otel.example', { hostname: 'otel.example', port: 443 }],
  ['[::1]:4317', { hostname: '::1', port: 4317 }],
  ['[::1]', { hostname: '::1', port: 443 }],
  ['unix:/run/otel.sock', undefined],
])('the endpoint %s has the target %j', (endpoint, target) => {
  expect(exporterTarget(exporterUrl(endpoint))).toEqual(target);
});
