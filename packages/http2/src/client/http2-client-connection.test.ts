import { constants, createServer, type ServerHttp2Stream, type Settings } from 'node:http2';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ObservedClient } from '../testing/observed-client.js';
import { ACKNOWLEDGED_BYTES, GREETING_BYTES, ScriptedExchange, ScriptedServer } from '../testing/scripted-server.js';
import { Http2ClientConnection } from './http2-client-connection.js';

/** Server settings, and the handler of a stream. */
async function serve(settings: Settings, response: (stream: ServerHttp2Stream, path: string) => void) {
  // Node refuses streams while large responses use this memory.
  const server = createServer({ settings, maxSessionMemory: 1000 });
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {});
    response(stream, String(headers[':path']));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    [Symbol.dispose]() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

/** Bytes, each different from its neighbours. */
const bytesOf = (length: number) => Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 31) % 251));

/** Responds with the body of the request. */
function echo(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': 200 });
  stream.pipe(stream);
}

describe('Http2ClientConnection', () => {
  it.each<[string, Settings]>([
    ['with default settings', {}],
    ['with small windows', { initialWindowSize: 1000 }],
    ['with an initial window of 0', { initialWindowSize: 0 }],
    ['with large frames', { maxFrameSize: 200_000 }],
  ])('sends and receives large bodies in parallel, to a server %s', async (_, settings) => {
    using running = await serve(settings, (stream) => {
      echo(stream);
      if (settings.initialWindowSize === 0) stream.session?.settings({ initialWindowSize: 70_000 });
    });
    using client = new ObservedClient(running.server);
    const bodies = [0, 1, 16_384, 16_385, 300_000, 3_000_000].map(bytesOf);
    const responses = await Promise.all(bodies.map((body) => client.post('/', body)));
    expect(responses.map(({ status, bytes, end }) => [status, bytes.length, end.unsent])).toEqual(
      bodies.map((body) => ['200', body.length, false]),
    );
    expect(responses.every(({ bytes }, i) => bytes.equals(bodies[i] as Buffer))).toBe(true);
  });

  it('receives more than all its windows', async () => {
    const large = bytesOf(20_000_000);
    using running = await serve({}, (stream) => {
      stream.respond({ ':status': 200 });
      stream.end(large);
    });
    using client = new ObservedClient(running.server);
    const responses = await Promise.all(Array.from({ length: 4 }, () => client.post('/')));
    expect(responses.every(({ bytes }) => bytes.equals(large))).toBe(true);
  });

  it('opens no more streams than the server allows, and the others in order', async () => {
    let open = 0;
    let most = 0;
    const order: string[] = [];
    using running = await serve({ maxConcurrentStreams: 2 }, (stream, path) => {
      most = Math.max(most, ++open);
      order.push(path);
      stream.on('close', () => open--);
      setTimeout(() => echo(stream), 2);
    });
    using client = new ObservedClient(running.server);
    const paths = Array.from({ length: 9 }, (_, i) => `/${i}`);
    const responses = await Promise.all(paths.map((path) => client.post(path)));
    expect([responses.map(({ status }) => status), order, most]).toEqual([paths.map(() => '200'), paths, 2]);
  });

  it('distinguishes refused streams from reset ones', async () => {
    using running = await serve({}, (stream, path) => stream.close(Number(path.slice(1))));
    using client = new ObservedClient(running.server);
    const codes = [constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_INTERNAL_ERROR];
    const ends = await Promise.all(codes.map(async (code) => (await client.post(`/${code}`)).end));
    expect(ends).toEqual([
      { resetCode: codes[0], unsent: true },
      { resetCode: codes[1], unsent: false },
    ]);
    expect(client.events).toEqual(['ready']);
  });

  it('finishes the streams that the server still processes after GOAWAY, and no others', async () => {
    using running = await serve({}, (stream) => {
      stream.session?.goaway(0, stream.id);
      setTimeout(() => echo(stream), 50);
    });
    using client = new ObservedClient(running.server);
    const [first, second] = await Promise.all([client.post('/first'), client.post('/second')]);
    expect([first?.status, first?.end.unsent]).toEqual(['200', false]);
    expect(second?.end).toMatchObject({ unsent: true });
    await expect.poll(() => client.events).toEqual(['ready', 'goingAway', 'closed']);
    expect(client.connection.usable).toBe(false);
  });

  it('acknowledges pings, and its own pings are acknowledged', async () => {
    const pinged = Promise.withResolvers<void>();
    using running = await serve({}, (stream) => {
      stream.session?.ping(() => pinged.resolve());
      echo(stream);
    });
    using client = new ObservedClient(running.server);
    await client.post('/');
    await pinged.promise;
    await new Promise<void>((resolve) => client.connection.ping(resolve));
  });
});

describe('Http2ClientConnection, to a scripted server', () => {
  it("sends no request before the server's preface", async () => {
    using exchange = await ScriptedExchange.greeted();
    await sleep(20);
    expect(exchange.server.received.length).toBe(GREETING_BYTES);
    exchange.server.hangUp();
    expect((await exchange.response).end).toMatchObject({ unsent: true });
  });

  it('does not know the state of a request whose connection failed', async () => {
    using exchange = await ScriptedExchange.opened();
    exchange.server.hangUp();
    const { end } = await exchange.response;
    expect([end.unsent, end.error?.message]).toEqual([false, 'the connection was closed']);
  });

  // Headers 200 in two frames, data with padding, trailers without end of the headers; each byte is sent alone.
  it('reads frames that are split, padded and continued', async () => {
    using exchange = await ScriptedExchange.opened();
    const words =
      '000000 04 00 00000000 000000 01 00 00000001 000001 09 04 00000001 88' +
      '000007 00 08 00000001 02 61626364 0000 000000 63 ff 00000001 000002 00 01 00000001 6566';
    for (const byte of Buffer.from(words.replaceAll(' ', ''), 'hex')) {
      exchange.server.say(byte.toString(16).padStart(2, '0'));
      await sleep(0);
    }
    const { status, bytes, end } = await exchange.response;
    expect([status, bytes.toString(), end]).toEqual(['200', 'abcdef', { unsent: false }]);
  });

  it.each([
    ['a frame that is too long', '004001 00 00 00000001', 'a frame has 16385 bytes'],
    ['a push', '000004 05 04 00000001 00000002', 'push is disabled'],
    ['a block on a stream that is not open', '000001 09 04 00000001 88', 'unexpected CONTINUATION'],
    ['a truncated block', '000001 01 00 00000001 88 000000 04 00 00000000', 'a header block is interrupted'],
    ['invalid headers', '000001 01 04 00000001 ff', 'a header is truncated'],
    ['nothing but padding', '000001 00 08 00000001 05', 'the padding exceeds the frame'],
    ['data within headers', '000001 01 00 00000001 88 000001 00 00 00000001 61', 'a header block is interrupted'],
    ['half of the priority fields', '000004 01 24 00000001 00000000', 'a HEADERS frame is shorter than its priority'],
    ['headers on stream 0', '000001 01 04 00000000 88', 'the client has not opened stream 0'],
    ["headers on a stream of the server's own", '000001 01 04 00000002 88', 'the client has not opened stream 2'],
    ['data of a stream that is not open yet', '000001 00 00 00000003 61', 'the client has not opened stream 3'],
    ['a reset of stream 0', '000004 03 00 00000000 00000008', 'the client has not opened stream 0'],
    ['settings on a stream', '000000 04 00 00000001', 'a frame of type 4 has a stream ID'],
    ['a reset without a code', '000003 03 00 00000001 000000', 'a frame of type 3 has 3 bytes'],
    ['half a setting', '000009 04 00 00000000 000300000001 000300', 'a frame of type 4 has 9 bytes'],
    ['an acknowledgement with settings', '000006 04 01 00000000 000300000001', 'a frame of type 4 has 6 bytes'],
    ['a short ping', '000007 06 00 00000000 00000000000000', 'a frame of type 6 has 7 bytes'],
    ['a short GOAWAY', '000004 07 00 00000000 00000001', 'a frame of type 7 has 4 bytes'],
    ['a long window update', '000005 08 00 00000000 0000000001', 'a frame of type 8 has 5 bytes'],
    ['a window update of 0', '000004 08 00 00000000 00000000', 'a window update has no increment'],
    ['too large an initial window', '000004 08 00 00000000 7fffffff', 'a window is too large'],
    ['too large a window of a stream', '000004 08 00 00000001 7fff0001', 'a window is too large'],
    ['too large an initial window for all streams', '000006 04 00 00000000 000480000000', 'a window is too large'],
    [
      'a window that becomes too large for a stream',
      '000004 08 00 00000001 7fff0000 000006 04 00 00000000 000400010000',
      'a window is too large',
    ],
    ['a frame size limit of 0', '000006 04 00 00000000 000500000000', 'invalid maximum frame size: 0'],
    ['an unlimited frame size', '000006 04 00 00000000 000501000000', 'invalid maximum frame size: 16777216'],
    ['a server that enables push', '000006 04 00 00000000 000200000001', 'a server must not enable push'],
  ])('ends the connection on %s', async (_, hex, message) => {
    using exchange = await ScriptedExchange.opened();
    exchange.server.say(hex);
    expect((await exchange.response).end).toMatchObject({ error: { message }, unsent: false });
    expect(exchange.client.events).toEqual(['ready', 'goingAway', 'closed']);
  });

  it('requires settings as the first frame', async () => {
    using exchange = await ScriptedExchange.greeted();
    exchange.server.say('000008 06 00 00000000 0000000000000000');
    const message = 'the first frame of the server is not SETTINGS';
    expect((await exchange.response).end).toMatchObject({ error: { message } });
  });

  it('ends when the server has ended its side, even if it still reads', async () => {
    using exchange = await ScriptedExchange.opened();
    exchange.server.fallSilent();
    const message = 'the connection was closed';
    expect((await exchange.response).end).toMatchObject({ error: { message }, unsent: false });
  });

  it("reports the server's reason for GOAWAY", async () => {
    using exchange = await ScriptedExchange.opened();
    const reason = Buffer.from('too many').toString('hex');
    exchange.server.say(`000010 07 00 00000000 00000001 0000000b ${reason}`);
    exchange.server.fallSilent();
    expect((await exchange.response).end.error?.message).toBe('the connection was closed: 11 "too many"');
  });

  it('returns window credit for data of a stream that it has cancelled', async () => {
    using server = await ScriptedServer.listening();
    using client = new ObservedClient(server.server);
    const stream = client.connection.request(Buffer.of(0x83), { header() {}, data() {}, closed() {} });
    await server.opened();
    const headers = 10;
    const opened = GREETING_BYTES + ACKNOWLEDGED_BYTES + headers;
    await expect.poll(() => server.received.length).toBe(opened);
    stream.cancel();
    const frame = `004000 00 00 00000001 ${'61'.repeat(16_384)}`;
    for (let i = 0; i <= 1024; i++) server.say(frame);
    const received = () => server.received.subarray(opened);
    // A reset, and credit as soon as more than half of the window has come: chunks may end within a frame.
    const said = '000004030000000001 00000008 000004080000000000'.replaceAll(' ', '');
    await expect.poll(() => received().toString('hex')).toMatch(new RegExp(`^${said}.{8}$`));
    const credit = received().readUInt32BE(said.length / 2);
    expect(credit).toBeGreaterThan(1024 * 16_384);
    expect(credit).toBeLessThanOrEqual(1025 * 16_384);
  });
});

/** Accepts writes and never completes them. */
class StuckSocket extends Socket {
  override _write(): void {}
  override _writev(): void {}
  override _read(): void {}
}

describe('Http2ClientConnection, to a server that does not read', () => {
  it('ends the connection if too many acknowledgements are unread', () => {
    const socket = new StuckSocket();
    const events: string[] = [];
    const connection = new Http2ClientConnection(socket, 'connect', {
      ready: () => events.push('ready'),
      goingAway: () => events.push('goingAway'),
      closed: () => events.push('closed'),
    });
    const pings = Buffer.from('0000080600000000000000000000000000'.repeat(1000), 'hex');
    socket.emit('connect');
    socket.emit('data', Buffer.from('000000040000000000', 'hex'));
    for (let i = 0; i < 9; i++) socket.emit('data', pings);
    expect(events).toEqual(['ready']);
    socket.emit('data', pings);
    expect([events, connection.usable]).toEqual([['ready', 'goingAway', 'closed'], false]);
  });
});
