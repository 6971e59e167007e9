import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deadline } from '../harness/api-server.ts';
import { configMaps, HealthyServer } from './healthy-server.ts';
import { frame, framesOf, preface, request, reset } from './http2-frames.ts';
import { RawConnection } from './raw-connection.ts';

const server = new HealthyServer();
const host = 'Host: localhost\r\n';
/** Upstream's bound on a head, plus one byte. */
const tooMuch = 1024 * 1024 + 4096 + 1;

describe('HTTP/1.1', () => {
  it.each<[string, string, RegExp]>([
    ['a head above 1 MiB', `GET / HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(tooMuch)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    [
      'many headers above 1 MiB',
      `GET / HTTP/1.1\r\n${host}${'X-A: yyyyyyyyyy\r\n'.repeat(70_000)}\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    ['a URL above 1 MiB', `GET /${'x'.repeat(tooMuch)} HTTP/1.1\r\n${host}\r\n`, /^HTTP\/1\.1 431 /],
    ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['HTTP/2 without ALPN’s consent', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 40\d /],
    ['no Host', 'GET /readyz HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['a header without a name', `GET /readyz HTTP/1.1\r\n${host}: x\r\n\r\n`, /^HTTP\/1\.1 400 /],
    ['a header name with a space', `GET /readyz HTTP/1.1\r\n${host}A b: x\r\n\r\n`, /^HTTP\/1\.1 400 /],
    ['a folded header', `GET /readyz HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`, /^HTTP\/1\.1 400 /],
    ['a control character in a header', `GET /readyz HTTP/1.1\r\n${host}X: a\x01b\r\n\r\n`, /^HTTP\/1\.1 400 /],
    [
      'two lengths',
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      /^HTTP\/1\.1 400 /,
    ],
    ['a length below 0', `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`, /^HTTP\/1\.1 400 /],
    [
      'a length beyond all integers',
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: ${'9'.repeat(30)}\r\n\r\n`,
      /^HTTP\/1\.1 4\d\d /,
    ],
    [
      'a length beside chunks',
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 400 /,
    ],
    [
      'an unknown transfer encoding',
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\n\r\n`,
      /^HTTP\/1\.1 501 /,
    ],
    [
      'a chunk without a length',
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
      /^HTTP\/1\.1 500 .*"message":"invalid byte in chunk length"/s,
    ],
    [
      'a chunk that is longer than it says',
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\r\n{}{}{}\r\n`,
      /^HTTP\/1\.1 500 .*"message":"malformed chunked encoding"/s,
    ],
    ['a broken escape', `GET /%zz HTTP/1.1\r\n${host}\r\n`, /^HTTP\/1\.1 400 /],
    ['a target that is no path', `GET nothing HTTP/1.1\r\n${host}\r\n`, /^HTTP\/1\.1 400 /],
    ['CONNECT', `CONNECT localhost:443 HTTP/1.1\r\n${host}\r\n`, /^HTTP\/1\.1 404 /],
  ])('%s is refused, and the connection ends', async (_what, bytes, response) => {
    using connection = new RawConnection(server, 'http/1.1');
    await connection.send(bytes);
    await deadline(connection.closed, 30_000, () => `still open, got: ${connection.text.slice(0, 200)}`);
    expect(connection.text).toMatch(response);
  });

  it('a client that is gone in the middle of a head or a body leaves nothing behind', async () => {
    const starts = [
      'GET /rea',
      `GET /readyz HTTP/1.1\r\n${host}X: `,
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"meta`,
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"`,
    ];
    await Promise.all(
      starts.flatMap((start) =>
        Array.from({ length: 25 }, async () => {
          using connection = new RawConnection(server, 'http/1.1');
          await connection.send(start);
          await sleep(20);
        }),
      ),
    );
  });

  it('pipelined requests all get responses in order', async () => {
    using connection = new RawConnection(server, 'http/1.1');
    await connection.send(`GET /readyz HTTP/1.1\r\n${host}\r\n`.repeat(500));
    await expect.poll(() => connection.text.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(500);
  });
});

describe('HTTP/2', () => {
  const get: readonly (readonly [string, string])[] = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'localhost'],
    [':path', '/readyz'],
  ];
  const without = (name: string) => get.filter(([field]) => field !== name);
  const replaced = (name: string, value: string) =>
    get.map(([field, old]) => [field, field === name ? value : old] as const);

  const noSuchField = (name: string) => `response: request header "${name}" is not valid in HTTP/2\n`;

  it.each<[string, readonly (readonly [string, string])[], string]>([
    ['no method', without(':method'), 'reset 1'],
    ['no path', without(':path'), 'reset 1'],
    ['no scheme', without(':scheme'), 'reset 1'],
    ['an empty path', replaced(':path', ''), 'reset 1'],
    ['a path that is none', replaced(':path', 'nothing'), 'reset 1'],
    ['an absolute URL', replaced(':path', 'https://localhost/readyz'), 'reset 1'],
    ['a broken escape', replaced(':path', '/%zz'), 'reset 1'],
    ['a control character in the path', replaced(':path', '/a\x01b'), 'reset 1'],
    ['two methods', [[':method', 'GET'], ...get], 'reset 1'],
    ['two paths', [...get, [':path', '/livez']], 'reset 1'],
    ['an unknown pseudo-header', [...get, [':made-up', 'x']], 'reset 1'],
    ['a response’s pseudo-header', [...get, [':status', '200']], 'reset 1'],
    ['a pseudo-header behind a header', [['x-a', 'b'], ...get], 'reset 1'],
    ['a name in upper case', [...get, ['X-Upper', 'b']], 'reset 1'],
    ['no name', [...get, ['', 'b']], 'reset 1'],
    ['a line break in a name', [...get, ['x\r\ny', 'b']], 'reset 1'],
    ['a line break in a value', [...get, ['x', 'a\r\nb']], 'reset 1'],
    ['a header of the connection', [...get, ['connection', 'keep-alive']], noSuchField('Connection')],
    ['chunks', [...get, ['transfer-encoding', 'chunked']], noSuchField('Transfer-Encoding')],
    ['CONNECT', replaced(':method', 'CONNECT'), 'reset 1'],
    ['a length without a body', [...get, ['content-length', '5']], 'reset 1'],
    [
      'a head above 1 MiB',
      [...get, ...Array.from({ length: 12 }, () => ['x-long', 'x'.repeat(100_000)] as const)],
      'goaway 1',
    ],
    [
      'a head above 1 MiB that is said with few bytes',
      [...get, ...Array.from({ length: 31_000 }, () => ['x', 'y'] as const)],
      'response: <h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>',
    ],
  ])('%s is refused', async (_what, fields, refusal) => {
    using connection = new RawConnection(server, 'h2');
    const payload = request(1, fields);
    await connection.send(preface);
    for (const part of asFrames(payload)) await connection.send(part);
    await expect.poll(() => refusalIn(connection.received)).toBe(refusal);
  });

  /** The end of the first request, or of the connection. */
  function refusalIn(received: Buffer): string | undefined {
    for (const { type, stream, payload } of framesOf(received)) {
      if (type === 'goaway') return `goaway ${payload.readUInt32BE(4)}`;
      if (type === 'reset' && stream === 1) return `reset ${payload.readUInt32BE(0)}`;
      if (type === 'data' && stream === 1 && payload.length > 0) return `response: ${payload}`;
    }
    return undefined;
  }

  it.each<[string, Buffer]>([
    ['data on a stream that is not open', frame(0, 0, 5, Buffer.from('x'))],
    ['an even stream', request(2, get)],
    [
      'a header block that cannot be decompressed',
      frame(1, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
    ],
    ['a window that overflows', frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]))],
    ['a window of nothing', frame(8, 0, 0, Buffer.alloc(4))],
    ['a frame larger than agreed', frame(0, 0, 1, Buffer.alloc(20_000))],
    ['settings of the wrong length', frame(4, 0, 0, Buffer.alloc(5))],
    ['a ping on a stream', frame(6, 0, 1, Buffer.alloc(8))],
  ])('%s ends the connection', async (_what, bytes) => {
    using connection = new RawConnection(server, 'h2');
    await connection.send(Buffer.concat([preface, bytes]));
    await deadline(connection.closed, 30_000, () => 'still open');
  });

  it.each<[string, (stream: number) => Buffer]>([
    ['reset at once', (stream) => Buffer.concat([request(stream, get), reset(stream)])],
    ['reset for reasons of the protocol', (stream) => Buffer.concat([request(stream, get), reset(stream, 1)])],
    [
      'given a window of nothing',
      (stream) => Buffer.concat([request(stream, get), frame(8, 0, stream, Buffer.alloc(4))]),
    ],
  ])(
    '20,000 requests that are %s cost the client its connection, nobody else',
    { timeout: 60_000 },
    async (_what, make) => {
      using other = server.client();
      using watching = server.client();
      const end = new AbortController();
      const events: string[] = [];
      const watch = (async () => {
        for await (const { object } of watching.watch(`${configMaps}?watch=1`, end.signal)) {
          events.push(object.metadata.name);
        }
      })();
      using connection = new RawConnection(server, 'h2');
      await connection.send(preface);
      const flood = send20000(connection, make);
      await responding(other, flood);
      const name = `flood-${Date.now()}`;
      expect((await other.request('POST', configMaps, { metadata: { name } })).status).toBe(201);
      await expect.poll(() => events).toContain(name);
      end.abort();
      await watch;
    },
  );

  /** Resolves when all are sent, the connection has ended, or the server has read nothing more for a while. */
  async function send20000(connection: RawConnection, make: (stream: number) => Buffer): Promise<void> {
    for (let index = 0; index < 20_000 && !connection.socket.destroyed; index += 100) {
      const sent = connection.send(Buffer.concat(Array.from({ length: 100 }, (_, n) => make((index + n) * 2 + 1))));
      const stuck = sleep(3_000, 'stuck');
      if ((await Promise.race([sent, connection.closed, stuck])) === 'stuck') return;
    }
  }

  /** Asks until `during` is over. */
  async function responding(client: ReturnType<typeof server.client>, during: Promise<void>): Promise<void> {
    let over = false;
    void during.then(() => {
      over = true;
    });
    do {
      expect((await client.request('GET', '/readyz')).status).toBe(200);
      await sleep(5);
    } while (!over);
  }
});

/** A HEADERS frame that is too large for one, as HEADERS and CONTINUATION. */
function asFrames(headers: Buffer): Buffer[] {
  const block = headers.subarray(9);
  const size = 16_000;
  if (block.length <= size) return [headers];
  const parts = Array.from({ length: Math.ceil(block.length / size) }, (_, index) =>
    block.subarray(index * size, (index + 1) * size),
  );
  return parts.map((part, index) =>
    frame(index === 0 ? 1 : 9, (index === 0 ? 1 : 0) | (index === parts.length - 1 ? 4 : 0), 1, part),
  );
}
