import { Buffer } from 'node:buffer';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { fetchHttp2, serving, session } from '../testing/listener-fixture.js';
import { createTestLogger } from '../testing/test-logger.js';
import { Http2Transport } from './http2-transport.js';
import { transportContext } from './transport-context.js';

it('closes connections that are idle, and no others', async () => {
  const finish = Promise.withResolvers<void>();
  const { logger } = createTestLogger();
  const transport = new Http2Transport(
    transportContext({
      handler: async ({ request }) => {
        if (request.path === '/slow') await finish.promise;
        return { type: 'bytes', status: 200, body: Buffer.from('ok') };
      },
      logger,
      now: Date.now,
    }),
    100,
  );
  const server = createServer({ cert: serving.certificate, key: serving.key, ALPNProtocols: ['h2'] }, (socket) =>
    transport.accept(socket),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [idle, busy] = [session(port), session(port)];
  await fetchHttp2(idle, { ':path': '/quick' });
  const slow = fetchHttp2(busy, { ':path': '/slow' });
  await fetchHttp2(busy, { ':path': '/quick' });
  transport.sweep(60_000);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([idle.closed, busy.closed]).toEqual([false, false]);
  transport.sweep(0);
  await expect.poll(() => idle.closed).toBe(true);
  expect(busy.closed).toBe(false);
  finish.resolve();
  expect(await slow).toMatchObject({ status: 200, body: 'ok' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  transport.sweep(0);
  await expect.poll(() => busy.closed).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});
