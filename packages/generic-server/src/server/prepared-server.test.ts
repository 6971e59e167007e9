import { Buffer } from 'node:buffer';
import type { ApiResponse, Handler } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import {
  completeGenericServerConfig,
  type GenericServerConfig,
  newGenericServerConfig,
} from '../config/generic-server-config.js';
import { newServerContext } from '../config/server-context.js';
import { authority, fetchHttp1, fetchHttp2, serving, session } from '../testing/listener-fixture.js';
import { newGenericServer } from './api-server.js';
import type { GenericServer } from './generic-server.js';

const text = (body: string): ApiResponse => ({ type: 'bytes', status: 200, body: Buffer.from(body) });

/** A server on a free port with the given paths, running. */
async function start(
  paths: Readonly<Record<string, Handler>> = {},
  { prepare = () => {}, ...changes }: Partial<GenericServerConfig> & { prepare?: (server: GenericServer) => void } = {},
) {
  const { logger, lines } = createTestLogger(9);
  const config = newGenericServerConfig(newServerContext({ logger }));
  Object.assign(config, {
    authenticator: { authenticateRequest: async () => ({ user: { name: 'alice', groups: [], extra: {} } }) },
    secureServing: {
      address: '127.0.0.1',
      port: 0,
      http2MaxStreamsPerConnection: 0,
      disableHttp2: false,
      tls: {
        certificate: serving.certificate,
        key: serving.key,
        clientCA: authority.certificate,
        minVersion: 'TLSv1.2',
        cipherSuites: [],
      },
    },
    ...changes,
  });
  const server = newGenericServer(completeGenericServerConfig(config), { name: 'test' });
  for (const [path, handler] of Object.entries(paths)) server.nonGoRestfulMux.handle(path, handler);
  prepare(server);
  const prepared = server.prepareServer();
  const shutdown = new AbortController();
  const running = prepared.run(shutdown.signal);
  running.catch(() => {});
  const { port } = await prepared.listening;
  return { port, running, lines, stop: () => shutdown.abort() };
}

describe('a running server', () => {
  it('runs its post-start hooks once it listens, and is ready when they are done', async () => {
    const gate = Promise.withResolvers<void>();
    let hookSignal: AbortSignal | undefined;
    const server = await start(
      {},
      {
        prepare: (made) =>
          made.addPostStartHook('gate', ({ signal }) => {
            hookSignal = signal;
            return gate.promise;
          }),
      },
    );
    expect(await fetchHttp1(server.port, { path: '/readyz?verbose' })).toMatchObject({
      status: 500,
      body: expect.stringContaining('[-]poststarthook/gate failed: reason withheld\n'),
    });
    gate.resolve();
    await expect.poll(async () => (await fetchHttp1(server.port, { path: '/readyz' })).body).toBe('ok');
    server.stop();
    await server.running;
    expect(hookSignal?.aborted).toBe(true);
  });

  it('ends when a post-start hook fails', async () => {
    const server = await start(
      {},
      {
        prepare: (made) => made.addPostStartHook('bad', () => Promise.reject(new Error('no storage'))),
      },
    );
    await expect(server.running).rejects.toThrow('PostStartHook "bad" failed: no storage');
    await expect(fetchHttp1(server.port, { path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
  });

  it('serves without a debug socket that cannot be opened', async () => {
    const socketPath = '/nowhere/at/all/socket';
    const server = await start({}, { debugging: { profiling: true, socketPath, flags: {} } });
    expect(await fetchHttp1(server.port, { path: '/livez' })).toMatchObject({ body: 'ok' });
    server.stop();
    await server.running;
    expect(server.lines).toContainEqual(expect.objectContaining({ message: 'Unable to open the debug socket' }));
  });

  it('says so when the port cannot be had', async () => {
    const first = await start();
    const disposed: string[] = [];
    const attempt = start(
      {},
      {
        prepare: (made) => made.disposables.use({ [Symbol.asyncDispose]: async () => void disposed.push('store') }),
        secureServing: {
          address: '127.0.0.1',
          port: first.port,
          http2MaxStreamsPerConnection: 0,
          disableHttp2: false,
          tls: {
            certificate: serving.certificate,
            key: serving.key,
            clientCA: '',
            minVersion: 'TLSv1.2',
            cipherSuites: [],
          },
        },
      },
    );
    await expect(attempt).rejects.toThrow('EADDRINUSE');
    expect(disposed).toEqual(['store']);
    first.stop();
    await first.running;
  });

  it.each([
    ['cipher suites', { cipherSuites: ['TLS_RSA_WITH_RC4_128_SHA'] }],
    ['groups', { curves: [30] }],
  ])('does not start with %s that cannot be used, even with own certificates', async (_, flags) => {
    const { certificate, key } = serving;
    const attempt = start(
      {},
      {
        secureServing: {
          areCertificatesOwn: true,
          address: '127.0.0.1',
          port: 0,
          http2MaxStreamsPerConnection: 0,
          disableHttp2: false,
          tls: { certificate, key, clientCA: '', minVersion: 'TLSv1.2', cipherSuites: [], ...flags },
        },
      },
    );
    await expect(attempt).rejects.toMatchObject({
      message: expect.stringMatching(/no cipher match|curve preference 30/),
    });
  });
});

describe('shutdown', () => {
  it('fails /readyz first, serves on during the delay while hooks run, then finishes requests, and disposes last', async () => {
    const order: string[] = [];
    const slow = Promise.withResolvers<void>();
    const server = await start(
      {
        '/slow': async () => {
          await slow.promise;
          order.push('request finished');
          return text('done');
        },
        '/quick': () => text('quick'),
      },
      {
        shutdownDelayDuration: 3_000,
        prepare: (made) => {
          made.addPreShutdownHook('hook', async () => void order.push('hook'));
          made.disposables.use({ [Symbol.asyncDispose]: async () => void order.push('store closed') });
          made.disposables.use({ [Symbol.asyncDispose]: async () => void order.push('informer closed') });
        },
      },
    );
    const client = session(server.port);
    const pending = fetchHttp2(client, { ':path': '/slow' });
    await fetchHttp2(client, { ':path': '/quick' });
    server.stop();
    await expect.poll(() => order).toContain('hook');
    expect((await fetchHttp1(server.port, { path: '/readyz?verbose' })).body).toContain('[-]shutdown failed');
    expect((await fetchHttp1(server.port, { path: '/livez' })).body).toBe('ok');
    expect((await fetchHttp1(server.port, { path: '/quick' })).body).toBe('quick');
    const refusal = () => fetchHttp1(server.port, { path: '/quick' }).then(() => 'none', String);
    await expect.poll(refusal).toContain('ECONNREFUSED');
    slow.resolve();
    expect(await pending).toMatchObject({ status: 200, body: 'done' });
    await server.running;
    expect(order).toEqual(['hook', 'request finished', 'informer closed', 'store closed']);
  });

  it('ends watches, which see a clean end', async () => {
    let begun = 0;
    const watch: Handler = (exchange) => ({
      type: 'stream',
      status: 200,
      run: async (writer) => {
        writer.write(Buffer.from('event '));
        begun++;
        await new Promise((resolve) => exchange.signal.addEventListener('abort', resolve));
        writer.write(Buffer.from('bye'));
      },
    });
    const server = await start({ '/watch': watch }, { longRunning: ({ request }) => request.path === '/watch' });
    const client = session(server.port);
    const watches = [1, 2, 3].map(() => fetchHttp2(client, { ':path': '/watch' }));
    const overHttp1 = fetchHttp1(server.port, { path: '/watch' });
    await expect.poll(() => begun).toBe(4);
    server.stop();
    for (const response of await Promise.all([...watches, overHttp1])) {
      expect(response).toMatchObject({ status: 200, body: 'event bye' });
    }
    await server.running;
  });

  it('rejects new requests with 429 while it drains, if configured', async () => {
    const slow = Promise.withResolvers<void>();
    const server = await start(
      {
        '/slow': async () => {
          await slow.promise;
          return text('done');
        },
        '/quick': () => text('quick'),
      },
      { shutdownSendRetryAfter: true },
    );
    const client = session(server.port);
    const pending = fetchHttp2(client, { ':path': '/slow' });
    await fetchHttp2(client, { ':path': '/quick' });
    server.stop();
    await expect.poll(async () => (await fetchHttp1(server.port, { path: '/quick' })).status).toBe(429);
    expect(await fetchHttp1(server.port, { path: '/quick' })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5', connection: 'close' },
      body: 'The apiserver is shutting down, please try again later.\n',
    });
    expect((await fetchHttp1(server.port, { path: '/livez' })).status).toBe(200);
    slow.resolve();
    expect(await pending).toMatchObject({ status: 200 });
    await server.running;
  });
});
