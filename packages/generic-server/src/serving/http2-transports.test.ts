import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { Exchange, ExchangeOutcome, Handler } from '@apiserver/apiserver-contracts';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { describe, expect, it } from 'vitest';
import { fetchHttp2, serving, session } from '../testing/listener-fixture.js';
import { Http2Transport } from './http2/http2-transport.js';
import { NodeHttp2Transport } from './node-http2/node-http2-transport.js';
import type { Http2TransportClass } from './secure-listener.js';
import { transportContext } from './transport/transport-context.js';

/** A server of its own whose responses come from `handler`. */
async function serverOf(http2Transport: Http2TransportClass, handler: Handler) {
  const { logger } = createTestLogger();
  const transport = new http2Transport(transportContext({ handler, logger, now: Date.now }), 100);
  const server = createServer({ cert: serving.certificate, key: serving.key, ALPNProtocols: ['h2'] }, (socket) =>
    transport.accept(socket),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { transport, port, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe.each<[string, Http2TransportClass]>([
  ['@apiserver/http2', Http2Transport],
  ['node:http2', NodeHttp2Transport],
])('HTTP/2 (%s)', (_, http2Transport) => {
  const transportServer = (handler: Handler) => serverOf(http2Transport, handler);

  it('announces what upstream announces', async () => {
    const { port, close } = await transportServer(() => ({ type: 'bytes', status: 200, body: undefined }));
    const client = session(port);
    expect((await once(client, 'remoteSettings'))[0]).toMatchObject({
      maxFrameSize: 262_144,
      maxConcurrentStreams: 100,
      maxHeaderListSize: 1_048_896,
      headerTableSize: 4_096,
      initialWindowSize: 262_144,
    });
    await expect.poll(() => client.state.remoteWindowSize).toBe(100 * 262_144);
    client.destroy();
    await close();
  });

  it('closes connections that are idle, and no others', async () => {
    const finish = Promise.withResolvers<void>();
    const { transport, port, close } = await transportServer(async ({ request }) => {
      if (request.path === '/slow') await finish.promise;
      return { type: 'bytes', status: 200, body: Buffer.from('ok') };
    });
    const [idle, busy] = [session(port), session(port)];
    await fetchHttp2(idle, { ':path': '/quick' });
    const slow = fetchHttp2(busy, { ':path': '/slow' });
    await fetchHttp2(busy, { ':path': '/quick' });
    transport.sweep(performance.now(), 60_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([idle.closed, busy.closed]).toEqual([false, false]);
    transport.sweep(performance.now(), 0);
    await expect.poll(() => idle.closed).toBe(true);
    expect(busy.closed).toBe(false);
    finish.resolve();
    expect(await slow).toMatchObject({ status: 200, body: 'ok' });
    const isClosedAsIdle = () => {
      transport.sweep(performance.now(), 0);
      return busy.closed;
    };
    await expect.poll(isClosedAsIdle).toBe(true);
    await close();
  });

  it('sends GOAWAY at once to connections that come while it drains', async () => {
    const { transport, port, close } = await transportServer(() => ({ type: 'bytes', status: 200, body: undefined }));
    transport.drain();
    const late = session(port);
    const lastStream = new Promise((resolve) => late.on('goaway', (code, id) => resolve([code, id])));
    expect(await lastStream).toEqual([0, 0]);
    await expect.poll(() => late.closed).toBe(true);
    await close();
  });

  it('resets the unread rest of a response when the request must end', async () => {
    const exchanges: Exchange[] = [];
    const outcomes: ExchangeOutcome[] = [];
    const { port, close } = await transportServer((exchange) => {
      exchanges.push(exchange);
      exchange.onFinished((outcome) => outcomes.push(outcome));
      return { type: 'bytes', status: 200, body: Buffer.alloc(10_000_000) };
    });
    const client = session(port);
    const stream = client.request({ ':path': '/large' });
    const failed = new Promise((resolve) => stream.on('error', resolve));
    await new Promise((resolve) => stream.on('response', resolve));
    expect(outcomes).toEqual([]);
    exchanges[0]?.abort(new Error('late'));
    stream.resume();
    await failed;
    expect([stream.rstCode, outcomes]).toEqual([2, [{ status: 200, bytesWritten: 10_000_000, aborted: true }]]);
    client.destroy();
    await close();
  });

  it('serves OPTIONS of the whole server and refuses malformed targets, without a handler', async () => {
    const { port, close } = await transportServer(({ request }) => {
      const body = Buffer.from(`${request.method} ${request.path}`);
      return { type: 'bytes', status: 200, body };
    });
    const client = session(port);
    const ask = (method: string, path: string) => fetchHttp2(client, { ':method': method, ':path': path });
    expect(await ask('OPTIONS', '*')).toMatchObject({ status: 200, headers: { 'content-length': '0' }, body: '' });
    expect(await ask('OPTIONS', '/a')).toMatchObject({ status: 200, body: 'OPTIONS /a' });
    expect(await ask('GET', '/%zz')).toMatchObject({ body: '', rstCode: 1 });
    // nghttp2 resets these itself.
    if (http2Transport === Http2Transport) {
      expect(await ask('GET', '*')).toMatchObject({ status: 200, body: 'GET *' });
      expect(await ask('GET', 'nothing')).toMatchObject({ body: '', rstCode: 1 });
    }
    client.destroy();
    await close();
  });

  it('sends no 100 Continue within a response', async () => {
    const { port, close } = await transportServer(({ request }) => ({
      type: 'stream',
      status: 200,
      run: async (writer) => {
        writer.write(Buffer.from('a'));
        await new Promise((resolve) => setTimeout(resolve, 20));
        writer.write(Buffer.from(await request.readBody(100)));
      },
    }));
    const client = session(port);
    const stream = client.request({ ':path': '/', ':method': 'POST', expect: '100-continue' }, { endStream: false });
    let welcomes = 0;
    stream.on('continue', () => welcomes++).on('headers', () => welcomes++);
    await once(stream, 'response');
    setTimeout(() => stream.end('b'), 60);
    let text = '';
    for await (const chunk of stream) text += chunk;
    expect([text, welcomes, stream.rstCode]).toEqual(['ab', 0, 0]);
    client.destroy();
    await close();
  });
});
