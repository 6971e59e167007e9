import { Buffer } from 'node:buffer';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { fetchHttp2, serving, session } from '../testing/listener-fixture.js';
import { createTestLogger } from '../testing/test-logger.js';
import { serveHttp2 } from './http2-transport.js';
import { ResetBudget } from './reset-budget.js';
import { transportContext } from './transport-context.js';

it('closes connections that are idle, and no others', async () => {
  const finish = Promise.withResolvers<void>();
  const { logger } = createTestLogger();
  const server = createSecureServer({ cert: serving.certificate, key: serving.key });
  const transport = serveHttp2(
    server,
    transportContext({
      handler: async ({ request }) => {
        if (request.path === '/slow') await finish.promise;
        return { type: 'bytes', status: 200, body: Buffer.from('ok') };
      },
      logger,
      now: Date.now,
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [idle, busy] = [session(port), session(port)];
  await fetchHttp2(idle, { ':path': '/quick' });
  const slow = fetchHttp2(busy, { ':path': '/slow' });
  await fetchHttp2(busy, { ':path': '/quick' });
  transport.closeIdle(60_000);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([idle.closed, busy.closed]).toEqual([false, false]);
  transport.closeIdle(0);
  await expect.poll(() => idle.closed).toBe(true);
  expect(busy.closed).toBe(false);
  finish.resolve();
  expect(await slow).toMatchObject({ status: 200, body: 'ok' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  transport.closeIdle(0);
  await expect.poll(() => busy.closed).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});

it('counts resets that come fast, forgets those that come slowly, and speaks up once', () => {
  const fast = new ResetBudget(0);
  const answers = Array.from({ length: 900 }, () => fast.note(0));
  expect([answers.indexOf(true), answers.filter(Boolean).length]).toEqual([799, 1]);
  const slow = new ResetBudget(0);
  expect(Array.from({ length: 5_000 }, (_, index) => slow.note(index * 40)).includes(true)).toBe(false);
});
