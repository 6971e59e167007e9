import { Buffer } from 'node:buffer';
import { expect } from 'vitest';
import { raw } from './listener-fixture.js';
import { bytes } from './test-responses.js';
import { lastOver } from './transport-client.js';
import type { TransportTests } from './transport-tests.js';

/** Connections end as they should, and upgrade where the protocol has that. */
export function connectionTests(tests: TransportTests): void {
  drainTests(tests);
  upgradeTests(tests);
}

function drainTests({ test, serve, protocol }: TransportTests): void {
  test('finishes open requests when the listener drains, and then ends', async () => {
    const finish = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const { fetch, listener } = await serve(async () => {
      began.resolve();
      await finish.promise;
      return bytes(200, 'done');
    });
    const slow = fetch();
    await began.promise;
    // Far longer than the test may take: the connection has to end by itself.
    const closed = listener.close(600_000);
    finish.resolve();
    expect(await slow).toMatchObject({ status: 200, body: 'done' });
    await closed;
  });

  test('of a watch ends when the watch has ended', async () => {
    const finish = Promise.withResolvers<void>();
    const { open, listener } = await serve(() => ({
      type: 'stream',
      status: 200,
      run: async (writer) => {
        writer.write(Buffer.from('begun '));
        await finish.promise;
        writer.write(Buffer.from('over'));
      },
    }));
    const { body } = await open();
    const closed = listener.close(600_000);
    finish.resolve();
    expect(Buffer.concat(await body.toArray()).toString()).toBe('begun over');
    await closed;
  });

  test('is cut off when requests last longer than the time to drain', async () => {
    const { open, listener } = await serve(() => ({ type: 'stream', status: 200, run: () => new Promise(() => {}) }));
    const { body } = await open();
    const over = new Promise((resolve) => body.on('error', () => {}).on('close', resolve));
    body.resume();
    await listener.close(50);
    await over;
  });

  test('ends with a response that requests it', async () => {
    const { port } = await serve(({ responseHeaders }) => {
      responseHeaders.set('connection', 'close');
      return bytes(200, 'go elsewhere');
    });
    expect(await lastOver(protocol, port)).toMatchObject({ status: 200, body: 'go elsewhere' });
  });
}

function upgradeTests({ test, serve }: TransportTests): void {
  test('is handed over to an upgrade, or refused one', async () => {
    const { port } = await serve((exchange) =>
      exchange.request.path === '/up'
        ? {
            type: 'upgrade',
            run: async ({ socket, head }) => {
              socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${Buffer.from(head).toString()}!`);
            },
          }
        : bytes(403, 'no'),
    );
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\nhead`;
    expect(await raw(port, ask('/up'))).toBe('HTTP/1.1 101 Switching Protocols\r\n\r\nhead!');
    expect(await raw(port, ask('/down'))).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n.*\r\n\r\nno$/s);
  });

  test('is not handed over where there are no upgrades', async () => {
    const { fetch } = await serve(() => ({ type: 'upgrade', run: async () => {} }));
    expect(await fetch()).toMatchObject({ status: 500 });
  });
}
