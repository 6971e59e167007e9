import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Filter, LoopbackClient } from '@apiserver/apiserver-contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startKubeApiserver } from './start-kube-apiserver.js';

let dataDirectory: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'start-'));
});
afterEach(() => rmSync(dataDirectory, { recursive: true }));

describe('startKubeApiserver', () => {
  it('runs a server in this process, several side by side, and again on the same folder', async () => {
    const other = mkdtempSync(join(tmpdir(), 'start-'));
    const first = await startKubeApiserver({ dataDirectory });
    const second = await startKubeApiserver({ dataDirectory: other, storageBackend: 'memory' });
    expect(first.address).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(second.address).not.toBe(first.address);
    const kubeconfig = readFileSync(first.kubeconfigPath ?? '', 'utf8');
    expect(kubeconfig).toContain(`server: ${first.address}\n`);
    expect(statSync(first.kubeconfigPath ?? '').mode & 0o777).toBe(0o600);
    await Promise.all([first.stop(), second.stop()]);
    await using again = await startKubeApiserver({ dataDirectory });
    expect(again.kubeconfigPath).toBe(first.kubeconfigPath);
    await again.stop();
    rmSync(other, { recursive: true });
  });

  it('writes no kubeconfig where the operator’s own CA vouches for clients', async () => {
    await (await startKubeApiserver({ dataDirectory })).stop();
    const flags = [`--client-ca-file=${dataDirectory}/pki/ca.crt`];
    await using server = await startKubeApiserver({ dataDirectory, flags });
    expect(server.kubeconfigPath).toBeUndefined();
  });

  it('says everything that is wrong with the flags', async () => {
    const flags = ['--secure-port=-1', '--max-requests-inflight=-1'];
    await expect(startKubeApiserver({ dataDirectory, flags })).rejects.toThrow(
      '[--max-requests-inflight can not be negative value, --secure-port -1 must be between 0 and 65535, inclusive]',
    );
    await expect(startKubeApiserver({ dataDirectory, flags: ['--x'] })).rejects.toThrow('unknown flag: --x');
  });

  it('refuses an option that does not exist, which would leave a default', async () => {
    const options = { dataDirectory, bindAdress: '0.0.0.0' };
    await expect(startKubeApiserver(options)).rejects.toMatchObject({
      name: 'StartupError',
      message:
        'unknown option of startKubeApiserver: bindAdress (known: bindAddress, clock, configure, dataDirectory, flags, logger, port, ' +
        'shared, storage, storageBackend, writesKubeconfig)',
    });
  });

  it('frees the folder when the port is taken', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    await expect(startKubeApiserver({ dataDirectory, port })).rejects.toThrow(
      `failed to create listener: failed to listen on 127.0.0.1:${port}: listen tcp 127.0.0.1:${port}: bind: address already in use`,
    );
    listener.close();
    await (await startKubeApiserver({ dataDirectory })).stop();
  });

  it('refuses a folder that is in use', async () => {
    await using _server = await startKubeApiserver({ dataDirectory });
    await expect(startKubeApiserver({ dataDirectory })).rejects.toThrow('is in use by another process');
  });

  it('ends although a request waits for an informer that cannot sync', async () => {
    // Only the end of the server may end the wait.
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
    const held = Promise.withResolvers<void>();
    const holdWatches: Filter = {
      name: 'holdWatches',
      wrap: (next) => (exchange) => {
        if (!exchange.request.url.startsWith('/apis/storage.k8s.io/v1/storageclasses?')) return next(exchange);
        held.resolve();
        return new Promise(() => {});
      },
    };
    let client: LoopbackClient | undefined;
    const server = await startKubeApiserver({
      dataDirectory,
      storageBackend: 'memory',
      configure: ({ generic }) => {
        const { adjustFilters } = generic;
        generic.adjustFilters = (filters) => [holdWatches, ...adjustFilters(filters)];
        client = generic.loopback.client;
      },
    });
    // An informer of a resource without objects sends no request.
    await client?.resource({ group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses' }).create('', {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'x' },
      provisioner: 'example.com/x',
    });
    const claims = client?.resource({ group: '', version: 'v1', resource: 'persistentvolumeclaims' });
    const created = claims?.create('default', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'a' },
    });
    const refused = expect(created).rejects.toThrow(
      'persistentvolumeclaims "a" is forbidden: not yet ready to handle request',
    );
    await held.promise;
    await server.stop();
    await refused;
    timeout.mockRestore();
  });

  it('rejects files with the wrong content for a flag', async () => {
    const flags = [`--token-auth-file=${dataDirectory}/nothing`];
    await expect(startKubeApiserver({ dataDirectory, flags })).rejects.toThrow(/nothing/);
  });
});
