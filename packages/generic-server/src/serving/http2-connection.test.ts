import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type ClientHttp2Session, constants, type IncomingHttpHeaders } from 'node:http2';
import type { Handler } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { fetchHttp2, listen as listenWith, session } from '../testing/listener-fixture.js';
import { bytes } from '../testing/test-responses.js';
import { Http2Transport } from './http2/http2-transport.js';
import { NodeHttp2Transport } from './node-http2/node-http2-transport.js';
import type { SecureListenerOptions } from './secure-listener.js';

describe.each([
  ['@apiserver/http2', Http2Transport],
  ['node:http2', NodeHttp2Transport],
])('a connection of HTTP/2 (%s)', (_, http2Transport) => {
  const listen = (handler: Handler, changes: Partial<SecureListenerOptions> = {}) =>
    listenWith(handler, { http2Transport, ...changes });

  it('lives on when the body of a request is refused for its size', async () => {
    const handler: Handler = async (exchange) =>
      exchange.request.readBody(1000).then(
        () => bytes(200, 'read'),
        (error) => bytes(error.status.code, error.message),
      );
    const { port } = await listen(handler);
    const client = session(port);
    const large = 'x'.repeat(500_000);
    const message = 'Request entity too large: limit is 1000';
    expect(await fetchHttp2(client, { ':method': 'POST' }, large)).toMatchObject({ status: 413, body: message });
    expect(await fetchHttp2(client, { ':method': 'POST', 'content-length': '500000' }, large)).toMatchObject({
      status: 413,
    });
    expect(await fetchHttp2(client, { ':method': 'POST' }, 'small')).toMatchObject({ status: 200, body: 'read' });
  });

  it.each(['breaks off', 'never comes'])('reports a body that %s, whenever it is read', async (how) => {
    const gone = Promise.withResolvers<unknown>();
    const { port } = await listen(async (exchange) => {
      const { request } = exchange;
      const late = new Promise<void>((resolve) => exchange.onFinished(() => resolve()));
      if (how === 'never comes') await late;
      gone.resolve(await request.readBody(1000).catch((error: unknown) => error));
      return bytes(200, '');
    });
    const client = session(port);
    const stream = client.request({ ':method': 'POST' });
    stream.on('error', () => {});
    stream.write('half', () => setTimeout(() => client.destroy(), 50));
    expect(await gone.promise).toMatchObject({ status: { code: 500, message: 'unexpected EOF' } });
  });

  it('sends the response to a client that is still sending, and then stops it', async () => {
    const { port } = await listen(() => ({ type: 'bytes', status: 204, body: undefined }));
    const stream = session(port).request({ ':method': 'POST', ':path': '/' }, { endStream: false });
    stream.write('begun');
    const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    await once(stream.resume(), 'close');
    expect([head[':status'], stream.rstCode]).toEqual([204, constants.NGHTTP2_NO_ERROR]);
  });

  it('carries many large responses at once', async () => {
    const body = Buffer.alloc(1024 * 1024, 'x');
    const { port } = await listen(() => ({ type: 'bytes', status: 200, body }));
    const client = session(port, { settings: { initialWindowSize: 16_384 } });
    const responses = await Promise.all(Array.from({ length: 20 }, () => fetchHttp2(client, {})));
    expect(responses.map((response) => response.body.length)).toEqual(responses.map(() => body.length));
  });

  it('limits streams, and closes the connection of a response that says so', async () => {
    const { port } = await listen(
      (exchange) => {
        exchange.responseHeaders.set('connection', 'close');
        return bytes(401, 'no');
      },
      { maxConcurrentStreams: 7 },
    );
    const client = session(port);
    const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
      client.once('remoteSettings', resolve),
    );
    expect(settings.maxConcurrentStreams).toBe(7);
    const gone = new Promise((resolve) => client.once('close', resolve));
    expect(await fetchHttp2(client, {})).toMatchObject({ status: 401, body: 'no' });
    await gone;
  });

  /** Opens watches and gives them up, 30 at a time, until `isEnough`; returns their number. */
  async function giveUp(client: ClientHttp2Session, path: string, isEnough: (resets: number) => boolean) {
    let resets = 0;
    for (; !isEnough(resets); resets += 30) {
      const streams = Array.from({ length: 30 }, () => client.request({ ':path': path }).on('error', () => {}));
      const closed = streams.map((stream) => once(stream, 'close'));
      for (const stream of streams) stream.once('response', () => stream.close(constants.NGHTTP2_CANCEL));
      await new Promise((resolve) => client.ping(resolve));
      if (path === '/waiting') for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      await Promise.all(closed);
    }
    return resets;
  }

  const watched: Handler = async (exchange) => {
    const gone = new Promise((resolve) => exchange.signal.addEventListener('abort', resolve));
    if (exchange.request.path === '/waiting') await gone;
    return {
      type: 'stream',
      status: 200,
      run: async (writer) => {
        writer.write(Buffer.from('started '));
        if (exchange.request.path !== '/watch') await gone;
        else await new Promise((resolve) => setTimeout(resolve, 1500));
        writer.write(Buffer.from('still here'));
      },
    };
  };

  it('is given up by GOAWAY before the resets of its client end it, and its watches live on', async () => {
    const { port } = await listen(watched);
    const client = session(port);
    const goaways: number[] = [];
    client.on('goaway', (code) => goaways.push(code));
    const watch = fetchHttp2(client, { ':path': '/watch' });
    const resets = await giveUp(client, '/waiting', (count) => goaways.length > 0 || count >= 990);
    expect(new Set(goaways)).toEqual(new Set([constants.NGHTTP2_NO_ERROR]));
    expect(resets).toBeLessThan(1000);
    expect(await watch).toMatchObject({ status: 200, body: 'started still here', rstCode: 0 });
  });

  it('bears any number of resets of responses that have begun', async () => {
    const { port } = await listen(watched);
    const client = session(port);
    const goaways: number[] = [];
    client.on('goaway', (code) => goaways.push(code));
    const watch = fetchHttp2(client, { ':path': '/watch' });
    await giveUp(client, '/begun', (count) => count >= 3_000);
    expect(await watch).toMatchObject({ status: 200, body: 'started still here', rstCode: 0 });
    expect(goaways).toEqual([]);
  });
});
