import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { newForbidden } from '@apiserver/apimachinery/errors';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { type ApiServer, type ApiServerOptions, consoleLogger, createApiServer } from '@apiserver/generic-server';
import { createMemoryStore } from '@apiserver/registry-store/memory';
import { KubeConfig, KubernetesObjectApi } from '@kubernetes/client-node';
import express from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { flunders } from '../../examples/sample-apiserver/src/flunder.ts';
import { AdminClient } from '../harness/admin-client.ts';
import { temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const PATH = '/apis/wardle.example.com/v1/namespaces/sea/flunders';
const flunder = (name: string, reference = 'two') => ({
  apiVersion: 'wardle.example.com/v1',
  kind: 'Flunder',
  metadata: { name, namespace: 'sea' },
  spec: { reference },
});

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

/** A server of flunders in memory. */
async function newServer(options: Partial<ApiServerOptions> = {}): Promise<ApiServer> {
  const groups = [{ resources: [flunders] }];
  const api = await createApiServer({ groups, storage: createMemoryStore(), logger: throwingLogger, ...options });
  return stack.use(api);
}

/** The same on a port, with the path of its kubeconfig. */
async function listening(options: Partial<ApiServerOptions> = {}) {
  const api = await newServer(options);
  const url = await api.listen();
  const kubeconfig = join(stack.use(temporaryDirectory('embedding')).path, 'kubeconfig');
  api.writeKubeconfig(kubeconfig);
  return { api, url, kubeconfig };
}

const missing = kubectlMissing();

describe('createApiServer', () => {
  it.skipIf(missing !== undefined)(`serves kubectl${missing ? ` (skipped: ${missing})` : ''}`, async () => {
    const { kubeconfig } = await listening({ name: 'sea' });
    const kubectl = stack.use(new Kubectl(kubeconfig));
    expect(await kubectl.ok(['config', 'current-context'])).toBe('admin@sea\n');
    expect(await kubectl.ok(['api-resources', '-o', 'name'])).toBe('flunders.wardle.example.com\n');
    expect(await kubectl.ok(['create', '-f', '-'], JSON.stringify(flunder('one')))).toBe(
      'flunder.wardle.example.com/one created\n',
    );
    await kubectl.ok(
      ['apply', '--server-side', '--force-conflicts', '-f', '-'],
      JSON.stringify(flunder('one', 'three')),
    );
    expect((await kubectl.ok(['get', 'fl', '-n', 'sea'])).split(/\s+/)).toEqual([
      'NAME',
      'REFERENCE',
      'one',
      'three',
      '',
    ]);
    expect(await kubectl.ok(['explain', 'flunders.spec.referenceType'])).toContain('FIELD: referenceType');
    expect(await kubectl.ok(['delete', 'fl', 'one', '-n', 'sea'])).toContain('deleted');
  });

  it('serves @kubernetes/client-node', async () => {
    const { kubeconfig } = await listening();
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig);
    const client = KubernetesObjectApi.makeApiClient(config);
    expect(await client.create(flunder('one'))).toMatchObject({ spec: { referenceType: 'Flunder' } });
    await expect(client.create(flunder('self', 'self'))).rejects.toThrow('a flunder must not refer to itself');
  });

  it('lets strangers ask for health, and for nothing else', async () => {
    const { kubeconfig } = await listening();
    const statuses = ['/readyz', '/healthz', '/livez', '/metrics', PATH].map(async (path) => {
      // The server ends the connection of an anonymous client after its first response.
      using stranger = new AdminClient(kubeconfig, { isStranger: true });
      return (await stranger.request('GET', path)).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 403, 403]);
  });

  it('puts its name into the log', async () => {
    const lines: string[] = [];
    await listening({ name: 'sea', logger: consoleLogger({ console: { error: (line) => lines.push(line) } }) });
    expect([...new Set(lines.map((line) => line.split(/ +/)[3]))]).toEqual(['sea]']);
  });

  it('keeps its certificates in a folder', async () => {
    const certificateDirectory = join(stack.use(temporaryDirectory('certificates')).path, 'pki');
    const first = await listening({ serving: { certificateDirectory } });
    await first.api[Symbol.asyncDispose]();
    const second = await listening({ serving: { certificateDirectory, port: Number(new URL(first.url).port) } });
    const admin = stack.use(new AdminClient(first.kubeconfig));
    expect([second.url, (await admin.request('GET', PATH)).status]).toEqual([first.url, 200]);
  });

  it('is mounted in an express app, with an authenticator of its own', async () => {
    const api = await newServer({
      authentication: {
        authenticateRequest: ({ request }) => {
          const name = request.headers.get('x-session');
          return name === undefined ? undefined : { user: { name, groups: [], extra: {} } };
        },
      },
      authorization: {
        authorize: ({ user }) => ({ decision: user.name === 'fisher' ? 'Allow' : 'NoOpinion', reason: 'no fisher' }),
      },
    });
    const app = express().use('/hello', (_, response) => void response.send('hello'));
    app.use(await api.mount());
    const server = createServer(app).listen(0, '127.0.0.1');
    stack.defer(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = async (path: string, session?: string) => {
      const headers = session === undefined ? {} : { 'x-session': session };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      return [response.status, (await response.text()).slice(0, 20)];
    };
    expect(await ask('/hello')).toEqual([200, 'hello']);
    expect(await ask(PATH, 'fisher')).toEqual([200, '{"kind":"FlunderList']);
    expect((await ask(PATH, 'tourist'))[0]).toBe(403);
    expect((await ask(PATH))[0]).toBe(401);
    expect(() => api.kubeconfig()).toThrow('a server with authentication of its own has no administrator');
  });

  it('watches behind a plain server of node:http', async () => {
    const api = await newServer({
      authentication: { authenticateRequest: () => ({ user: { name: 'fisher', groups: [], extra: {} } }) },
      authorization: { authorize: () => ({ decision: 'Allow', reason: '' }) },
    });
    const server = createServer(await api.mount()).listen(0, '127.0.0.1');
    stack.defer(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
    const stop = new AbortController();
    stack.defer(() => stop.abort());
    const watch = await fetch(`${url}?watch=true`, { signal: stop.signal });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(flunder('one')) })).status).toBe(201);
    const event = await watch.body?.getReader().read();
    expect(Buffer.from(event?.value ?? []).toString()).toContain('{"type":"ADDED","object":{"kind":"Flunder"');
  });

  it('calls itself without a socket', async () => {
    const api = await newServer();
    await api.mount();
    const client = api.client.resource({ group: 'wardle.example.com', version: 'v1', resource: 'flunders' });
    await client.create('sea', flunder('one'));
    expect((await client.list('sea')).items.length).toBe(1);
  });

  it('is extended by paths and by filters', async () => {
    const seen: string[] = [];
    const { kubeconfig } = await listening({
      configure: (config) => {
        config.adjustFilters = (defaults) => [
          ...defaults,
          {
            name: 'recorder',
            wrap: (next) => (exchange) => {
              seen.push(exchange.request.path);
              return next(exchange);
            },
          },
        ];
      },
      extend: ({ nonGoRestfulMux }) => {
        nonGoRestfulMux.handle('/tide', () => ({ type: 'bytes', status: 200, body: Buffer.from('high') }));
      },
    });
    const admin = stack.use(new AdminClient(kubeconfig));
    expect((await admin.request('GET', '/tide')).body).toBe('high');
    expect(seen).toEqual(['/tide']);
  });

  it('runs admission of its own', async () => {
    const { kubeconfig } = await listening({
      admission: {
        handles: () => true,
        admit: () => {},
        validate: ({ resource: { group, resource }, name }) => {
          throw newForbidden({ group, resource }, name, 'the sea is closed');
        },
      },
    });
    const admin = stack.use(new AdminClient(kubeconfig));
    const { body } = await admin.request('POST', PATH, flunder('one'));
    expect(body).toContain('the sea is closed');
  });

  it('rejects where its port is taken, and closes its storage', async () => {
    const { url } = await listening();
    const storage = createMemoryStore();
    const port = Number(new URL(url).port);
    const second = await createApiServer({ groups: [{ resources: [flunders] }], storage, serving: { port } });
    await expect(second.listen()).rejects.toThrow('EADDRINUSE');
    await expect(second.ended).rejects.toThrow('EADDRINUSE');
  });

  it('closes its storage when it cannot be made', async () => {
    const closed: string[] = [];
    const dispose = async () => void closed.push('storage');
    const storage = Object.assign(createMemoryStore(), { [Symbol.asyncDispose]: dispose });
    const made = createApiServer({ groups: [{ resources: [] }], storage });
    await expect(made).rejects.toThrow('an API group needs a resource');
    expect(closed).toEqual(['storage']);
  });

  it('rejects a group of resources of several groups', async () => {
    const rays = { ...flunders, group: 'rays.example.com' };
    const made = createApiServer({ groups: [{ resources: [flunders, rays] }], storage: createMemoryStore() });
    await expect(made).rejects.toThrow('the resources of one API group are of wardle.example.com and rays.example.com');
  });

  it('disposes the server if its extension fails', async () => {
    const disposed: string[] = [];
    const storage = Object.assign(createMemoryStore(), {
      [Symbol.asyncDispose]: async () => void disposed.push('storage'),
    });
    const made = createApiServer({
      groups: [{ resources: [flunders] }],
      storage,
      extend: ({ disposables }) => {
        disposables.defer(() => void disposed.push('server'));
        throw new Error('no room');
      },
    });
    await expect(made).rejects.toThrow('no room');
    expect(disposed).toEqual(['server', 'storage']);
  });

  it('is disposed once, and has ended then', async () => {
    const api = await newServer();
    const dispose = vi.spyOn(api.server, 'dispose');
    await api[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
    await api.ended;
    expect(dispose).toHaveBeenCalledTimes(1);
  });

  it('is started once', async () => {
    const api = await newServer();
    await api.mount();
    await expect(api.listen()).rejects.toThrow('the server was started or disposed already');
    const other = await newServer();
    expect(() => other.kubeconfig()).toThrow('the server does not listen yet');
    await other[Symbol.asyncDispose]();
    await expect(other.mount()).rejects.toThrow('the server was started or disposed already');
  });
});
