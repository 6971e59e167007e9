import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { ExchangeOutcome, Handler } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { authority, fetchHttp1, fetchHttp2, listen, session } from '../testing/listener-fixture.js';

/** A client that requests an upgrade and keeps its side open. */
async function upgrading(port: number) {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write('POST / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: 0\r\n\r\n');
  return socket;
}

function noting(handler: Handler) {
  const outcomes: ExchangeOutcome[] = [];
  const noted: Handler = (exchange) => {
    exchange.onFinished((outcome) => outcomes.push(outcome));
    return handler(exchange);
  };
  return { noted, outcomes };
}

describe('an upgrade', () => {
  it('that is refused has finished with its response, and its connection ends with its client', async () => {
    const { noted, outcomes } = noting(() => ({ type: 'bytes', status: 400, body: Buffer.from('no') }));
    const { port, listener } = await listen(noted);
    const socket = await upgrading(port);
    const [response] = await once(socket, 'data');
    await expect.poll(() => outcomes).toEqual([{ status: 400, bytesWritten: 2, aborted: false }]);
    expect(String(response)).toContain('HTTP/1.1 400 Bad Request');
    socket.end();
    // Longer than the test may take.
    await listener.close(3_600_000);
  });

  it('that waits ends with its client, although bytes came early', async () => {
    const begun = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const { noted } = noting(async ({ signal }) => {
      begun.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      aborted.resolve();
      return { type: 'bytes', status: 500, body: Buffer.from('gone') };
    });
    const { port } = await listen(noted);
    const socket = await upgrading(port);
    await begun.promise;
    await new Promise((written) => socket.write('early', written));
    socket.destroy();
    await aborted.promise;
  });

  it('of many clients ends in several turns, if they end at the same moment', async () => {
    let [ended, now, most] = [0, 0, 0];
    const { port } = await listen(() => ({
      type: 'upgrade',
      run: async ({ socket }) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
        await once(socket.resume(), 'end');
        ended++;
        most = Math.max(most, ++now);
        for (const until = performance.now() + 1; performance.now() < until; );
        socket.destroy();
      },
    }));
    const sockets = Array.from({ length: 50 }, () => upgrading(port));
    for (const socket of await Promise.all(sockets))
      await once(
        socket.on('data', () => {}),
        'data',
      );
    for (const socket of await Promise.all(sockets)) socket.destroy();
    for (; ended < sockets.length; await new Promise(setImmediate)) now = 0;
    expect(most).toBeLessThan(10);
  });

  it('reports its status once it is over', async () => {
    const begun = Promise.withResolvers<void>();
    const over = Promise.withResolvers<void>();
    const run = () => {
      begun.resolve();
      return over.promise;
    };
    const { noted, outcomes } = noting(() => ({ type: 'upgrade', status: 403, run }));
    const { port } = await listen(noted);
    const socket = await upgrading(port);
    await begun.promise;
    const before = outcomes.length;
    over.resolve();
    await expect.poll(() => outcomes).toEqual([{ status: 403, bytesWritten: 0, aborted: false }]);
    expect(before).toBe(0);
    socket.destroy();
  });
});

describe('a body that is passed on', () => {
  const handler: Handler = async ({ request }) => {
    const stream = request.bodyStream();
    const parts = stream === undefined ? [] : await Array.fromAsync<Buffer>(stream);
    return { type: 'bytes', status: 200, body: Buffer.from(`${stream === undefined}:${Buffer.concat(parts).length}`) };
  };

  it.each([
    ['nothing', undefined, 'true:0'],
    ['bytes', 'x'.repeat(300_000), 'false:300000'],
  ])('has %s', async (_case, body, expected) => {
    const { port } = await listen(handler);
    const method = body === undefined ? 'GET' : 'POST';
    const responses = await Promise.all([
      fetchHttp1(port, { method }, body),
      fetchHttp2(session(port), { ':method': method }, body),
    ]);
    expect(responses.map((response) => response.body)).toEqual([expected, expected]);
  });
});
