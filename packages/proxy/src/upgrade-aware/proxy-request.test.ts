import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type RequestListener, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BackendDialer, BackendTransport } from '../backend/backend.js';
import { type Gateway, startGateway } from '../testing/gateway.js';
import { proxyRequest } from './proxy-request.js';

const PREFIX = '/api/v1/namespaces/n/pods/p/proxy';
const transport: BackendTransport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 5_000 };

let respond: RequestListener = () => {};
let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
const backend = createServer(async (message, response) => {
  let body = '';
  message.setEncoding('utf8').on('data', (chunk: string) => {
    body += chunk;
  });
  message.once('end', () => {
    seen.push({ method: message.method ?? '', url: message.url ?? '', headers: message.headers, body });
    respond(message, response);
  });
});
/** Called when a request of `?dialled` comes, and for its connection. */
let beginning: () => void;
let dial: BackendDialer;
let gateway: Gateway;
let backendPort: number;

beforeAll(async () => {
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  backendPort = (backend.address() as AddressInfo).port;
  gateway = await startGateway((exchange) => {
    const path = exchange.request.path.slice(PREFIX.length);
    const { query } = exchange.request;
    const port = query.get('port') ?? (query.has('dead') ? '1' : String(backendPort));
    const location = { scheme: 'http', hostname: '127.0.0.1', port, path, rawQuery: 'q=own' } as const;
    if (query.has('front-proxy')) exchange.context.isIdentityHeader = (name) => /^x-(my|remote)-/.test(name);
    const isIdentified = query.has('identified');
    if (query.has('audited')) exchange.responseHeaders.set('Audit-ID', 'ours');
    const scheme = query.has('tls') ? 'https' : 'http';
    if (query.has('dialled')) beginning();
    return proxyRequest(exchange, {
      location: { ...location, scheme },
      transport: query.has('dialled') ? { ...transport, dial } : transport,
      upgradeRequired: query.has('upgrade'),
      isIdentified,
    });
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  backend.close();
  backend.closeAllConnections();
});
beforeEach(() => {
  seen = [];
  respond = (_message, response) => void response.end('hello');
});

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string;
}

async function send(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const requested = request({ port: gateway.port, host: '127.0.0.1', path: PREFIX + path, method, headers });
  requested.end(body);
  const [response] = (await once(requested, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat(await Array.fromAsync<Buffer>(response));
  return { status: response.statusCode, headers: response.headers, bytes, text: bytes.toString() };
}

describe('a request', () => {
  const identity = {
    'x-remote-user': 'amy',
    'x-remote-uid': 'u',
    'x-remote-group': 'g',
    'x-remote-extra-scope': 's',
  };

  it("loses the client's headers of a front proxy", async () => {
    await send('/', { headers: { ...identity, 'X-Remote': 'kept' } });
    expect(Object.entries(seen[0]?.headers ?? {}).filter(([name]) => name.startsWith('x-remote'))).toEqual([
      ['x-remote', 'kept'],
    ]);
  });

  it("keeps this server's headers of a front proxy, even those that the client names as hop-by-hop", async () => {
    const Connection = 'keep-alive, X-Remote-User, X-Remote-Uid, X-Remote-Group, X-Remote-Extra-Scope';
    await send('/?identified', { headers: { ...identity, Connection } });
    expect(seen[0]?.headers).toMatchObject(identity);
  });

  it('of this server in the name of the user names the host of the backend, and so do its redirects', async () => {
    respond = (_message, response) => void response.writeHead(302, { Location: '/other?q' }).end();
    const { headers } = await send('/a?identified', { headers: { Host: 'api.example.com' } });
    const host = `127.0.0.1:${backendPort}`;
    expect(seen[0]?.headers).toMatchObject({
      host,
      'x-forwarded-host': host,
      'x-forwarded-proto': 'http',
      'x-forwarded-uri': '/a',
    });
    expect(headers.location).toBe(`http://${host}/other?q`);
  });

  it('of this server has the query of its target', async () => {
    await send('/a?b=1&identified');
    await send('/a?b=1');
    expect(seen.map(({ url }) => url)).toEqual(['/a?q=own', '/a?b=1']);
  });

  it('loses the headers that the front proxy of this server uses', async () => {
    await send('/?front-proxy', { headers: { ...identity, 'X-My-User': 'amy', 'X-My': 'kept' } });
    await send('/?front-proxy&identified', { headers: { ...identity, 'X-My-User': 'amy' } });
    const names = seen.map(({ headers }) => Object.keys(headers).filter((name) => /^x-(my|remote)/.test(name)));
    expect(names).toEqual([['x-my'], Object.keys(identity).toSorted()]);
  });

  it("forwards the client's headers, except those that identify the user", async () => {
    const headers = {
      Host: 'api.example.com',
      Authorization: 'Bearer secret',
      'Impersonate-User': 'amy',
      'X-Own': ['one', 'two'],
      'X-Forwarded-For': '198.51.100.1',
      Connection: 'keep-alive, X-Hop',
      'X-Hop': 'not for the backend',
    };
    const { status, text } = await send('/a/b%20c/?q=1&q=2', { headers });
    expect([status, text]).toEqual([200, 'hello']);
    expect(seen).toEqual([
      {
        method: 'GET',
        url: '/a/b%20c/?q=1&q=2',
        body: '',
        headers: {
          host: 'api.example.com',
          'x-own': 'one, two',
          'x-forwarded-for': '198.51.100.1, 192.0.2.7',
          'x-forwarded-uri': `${PREFIX}/a/b%20c/`,
        },
      },
    ]);
  });

  it.each<[string, Sent, string | undefined, string | undefined]>([
    ['POST', { headers: { 'Content-Length': '4' }, body: 'body' }, '4', undefined],
    ['PUT', { headers: { 'Transfer-Encoding': 'chunked' }, body: 'body' }, undefined, 'chunked'],
    ['POST', {}, '0', undefined],
    ['DELETE', {}, undefined, undefined],
    ['OPTIONS', {}, undefined, undefined],
  ])('%s %j is forwarded with its body', async (method, sent, length, coding) => {
    await send('/x', { ...sent, method });
    const [{ headers, ...one } = { method: '', body: '', headers: {} }] = seen;
    expect([one.method, one.body, headers['content-length'], headers['transfer-encoding']]).toEqual([
      method,
      sent.body ?? '',
      length,
      coding,
    ]);
  });

  it.each(['', 'kubectl/v1'])('of the client %j names the client if it has a name', async (name) => {
    await send('/x', { headers: { 'User-Agent': name } });
    expect(seen.map(({ headers }) => headers['user-agent'])).toEqual([name === '' ? undefined : name]);
  });

  it('to the root of a backend is redirected so that relative links work', async () => {
    const { status, headers } = await send('?x=1');
    expect([status, headers.location, seen]).toEqual([301, `${PREFIX}/?x=1`, []]);
  });

  it('to an unreachable backend is a 503', async () => {
    const { status, text } = await send('/x?dead');
    expect([status, text]).toEqual([
      503,
      'error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused',
    ]);
  });

  it.each([
    ['99999', 'dial tcp: address 99999: invalid port'],
    ['metrics', 'dial tcp: lookup tcp/metrics: unknown port'],
    ['-1', 'dial tcp: address -1: invalid port'],
  ])('to port %s, where nothing listens, is a 503', async (port, problem) => {
    const { status, text } = await send(`/x?port=${port}`);
    expect([status, text]).toEqual([503, `error trying to reach service: ${problem}`]);
  });

  it.each([
    ['GET', undefined, 200, 3],
    ['HEAD', undefined, 200, 3],
    ['DELETE', undefined, 503, 2],
    ['GET', 'body', 503, 2],
  ])(
    '%s with the body %s on a kept connection that the backend closes is a %d',
    async (method, body, status, asked) => {
      let count = 0;
      respond = ({ socket }, response) => {
        count += 1;
        if (count === 2) socket.destroy();
        else response.end('hello');
      };
      await send('/x');
      const headers: Record<string, string> = body === undefined ? {} : { 'Content-Length': String(body.length) };
      const second = await send('/x', { method, headers, ...(body !== undefined && { body }) });
      expect([second.status, count]).toEqual([status, asked]);
    },
  );

  it.each([undefined, 'body'])('DELETE with the body %s waits for two turns before it is sent', async (body) => {
    let turns = 0;
    const count = () => {
      turns++;
      counting = setImmediate(count);
    };
    let counting: NodeJS.Immediate | undefined;
    beginning = () => {
      counting = setImmediate(count);
    };
    dial = async () => {
      clearImmediate(counting);
      throw new Error('not in this test');
    };
    const headers: Record<string, string> = body === undefined ? {} : { 'Content-Length': String(body.length) };
    await send('/x?dialled', { method: 'DELETE', headers, ...(body !== undefined && { body }) });
    expect(turns).toBe(2);
  });

  it('over TLS to a backend without TLS is a 503', async () => {
    const { status, text } = await send('/x?tls');
    const reason = 'http: server gave HTTP response to HTTPS client';
    expect([status, text]).toEqual([503, `error trying to reach service: ${reason}`]);
  });

  it('and its response have header values in UTF-8', async () => {
    const bytes = Buffer.from('Zoë ☃').toString('latin1');
    respond = (_message, response) => {
      response.writeHead(302, { 'X-Own': [bytes, 'b'], Location: `https://elsewhere.example.com/${bytes}` }).end();
    };
    const { headers } = await send('/x', { headers: { 'X-Own': bytes } });
    expect([seen[0]?.headers['x-own'], headers['x-own']]).toEqual([bytes, `${bytes}, b`]);
  });

  it('without an upgrade is refused if one is required', async () => {
    const { status, text } = await send('/x?upgrade');
    expect([status, text]).toEqual([400, 'Upgrade request required']);
  });
});

describe('a response', () => {
  it('has the headers of this server and those of the backend', async () => {
    respond = (_message, response) => void response.writeHead(200, { 'Audit-ID': 'theirs' }).end();
    expect((await send('/x?audited')).headers['audit-id']).toBe('ours, theirs');
  });

  it('is returned unchanged, without headers that the proxy may not forward', async () => {
    respond = (_message, response) => {
      response.writeHead(418, {
        'X-Own': ['a', 'b'],
        'Access-Control-Allow-Origin': '*',
        'Content-Type': 'text/plain',
      });
      response.end('short and stout');
    };
    const { status, headers, text } = await send('/x');
    expect([status, headers['x-own'], headers['access-control-allow-origin'], headers['content-type'], text]).toEqual([
      418,
      'a, b',
      undefined,
      'text/plain',
      'short and stout',
    ]);
  });

  it.each<[OutgoingHttpHeaders, string, string | undefined]>([
    [{}, '<html><p>Hi</p>', 'text/html; charset=utf-8'],
    [{}, 'hello', 'text/plain; charset=utf-8'],
    [{ 'Content-Length': '2' }, '{}', 'text/plain; charset=utf-8'],
    [{ 'Content-Type': '' }, 'hello', ''],
    [{ 'Content-Encoding': 'br' }, 'hello', undefined],
    [{}, '', undefined],
  ])('with the fields %j and the body %j has the type %s', async (fields, body, type) => {
    respond = (_message, response) => void response.writeHead(200, fields).end(body);
    const { headers, text } = await send('/x');
    expect([headers['content-type'], text]).toEqual([type, body]);
  });

  it('does not wait for its body', async () => {
    respond = (_message, response) => void response.writeHead(200, { 'X-Own': 'a' }).flushHeaders();
    const requested = request({ port: gateway.port, host: '127.0.0.1', path: `${PREFIX}/x` }).end();
    const [response] = (await once(requested, 'response')) as [IncomingMessage];
    expect([response.headers['x-own'], response.headers['content-type']]).toEqual(['a', undefined]);
    requested.destroy();
  });

  it.each([
    ['/login', `${PREFIX}/login`],
    ['/', `${PREFIX}/`],
    ['relative', 'relative'],
    ['https://elsewhere.example.com/x', 'https://elsewhere.example.com/x'],
    ['http://BACKEND/dir/?q=1#f', `${PREFIX}/dir/?q=1#f`],
    ['https://api.example.com/x', `https://api.example.com${PREFIX}/x`],
    [`${PREFIX}/already`, `${PREFIX}/already`],
    ['https://elsewhere.example.com/a b', 'https://elsewhere.example.com/a%20b'],
    ['HTTP://user@BACKEND/<x>', `//user@${PREFIX}/%3Cx%3E`],
  ])('with a redirect to %s points to %s', async (location, expected) => {
    respond = (_message, response) => {
      response.writeHead(302, { Location: location.replace('BACKEND', `127.0.0.1:${backendPort}`) }).end();
    };
    const { status, headers } = await send('/x', { headers: { Host: 'api.example.com' } });
    expect([status, headers.location]).toEqual([302, expected]);
  });

  it('that switches protocols without a request for it is a 500', async () => {
    respond = (_message, response) => void response.socket?.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    const { status, text } = await send('/x');
    expect([status, text]).toEqual([500, 'internal error: 101 switching protocols response with non-writable body']);
  });

  it('with too many early hints is a 503', async () => {
    respond = (_message, response) => {
      response.socket?.write('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(100));
      response.end('hello');
    };
    const { status, text } = await send('/x');
    expect([status, text]).toEqual([200, 'hello']);
    respond = (_message, response) => {
      response.socket?.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(101));
    };
    expect(await send('/x')).toMatchObject({
      status: 503,
      text: 'error trying to reach service: net/http: too many 1xx informational responses',
    });
  });

  it('with a redirect to no URL is a 500', async () => {
    respond = (_message, response) => void response.writeHead(302, { Location: '/%zz' }).end();
    const { status, text } = await send('/x');
    const message =
      'Internal error occurred: error trying to parse Location header: parse "/%zz": invalid URL escape "%zz"';
    expect([status, text]).toEqual([500, message]);
  });

  const page =
    '<!DOCTYPE html><!-- a --><A HREF="/x?a=1&amp;b=2" title=\'"\'>x</A><img src=/i.png longdesc="%" usemap="/a b"/><script>if (a<b) "<a href=/no>"</script><p>&lt;</p>';
  const rewritten = `<!DOCTYPE html><!-- a --><a href="${PREFIX}/x?a=1&amp;b=2" title="&#34;">x</A><img src="${PREFIX}/i.png" longdesc="%" usemap="${PREFIX}/a%20b"/><script>if (a<b) "<a href=/no>"</script><p>&lt;</p>`;

  it.each([
    ['not encoded', {}, (text: string) => Buffer.from(text), (bytes: Buffer) => bytes.toString()],
    ['gzip', { 'Content-Encoding': 'gzip' }, gzipSync, (bytes: Buffer) => gunzipSync(bytes).toString()],
  ])('with a page has its links rewritten: %s', async (_case, headers, pack, unpack) => {
    respond = (_message, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(pack(page));
    };
    expect(unpack((await send('/dir/')).bytes)).toBe(rewritten);
  });

  const link = '<a href="/x">';
  const large = `${link}${'x'.repeat(9 * 1024 * 1024)}`;

  it.each<[string, Buffer, OutgoingHttpHeaders]>([
    ['is large', Buffer.from(large), {}],
    ['is large when it is unpacked', gzipSync(large), { 'Content-Encoding': 'gzip' }],
    ['would become large', Buffer.from(link.repeat(300_000)), {}],
    ['has many open elements', Buffer.from(`${link}${'<svg>'.repeat(20_000)}`), {}],
    ['has a large link', Buffer.from(`<a href="/${'&'.repeat(600_000)}">`), {}],
  ])('with a page that %s is unchanged', async (_case, body, headers) => {
    respond = (_message, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': body.length, ...headers }).end(body);
    };
    const { status, bytes, headers: received } = await send('/x');
    expect([status, bytes.equals(body), received['content-length']]).toEqual([200, true, `${body.length}`]);
  });

  it.each<[string, Buffer, string]>([
    ['no gzip', Buffer.from('<a href="/x">'), 'errorf making gzip reader: gzip: invalid header'],
    ['no gzip and short', Buffer.from('<a>'), 'errorf making gzip reader: unexpected EOF'],
    ['empty', Buffer.alloc(0), 'errorf making gzip reader: EOF'],
    ['a part of gzip', gzipSync('<a href="/x">').subarray(0, -9), 'unexpected EOF'],
    ['gzip and more', Buffer.concat([gzipSync('<a>'), Buffer.from('<a href="/x">')]), 'gzip: invalid header'],
    ['gzip and a zero', Buffer.concat([gzipSync('<a>'), Buffer.alloc(1)]), 'unexpected EOF'],
    ['gzip and zeros', Buffer.concat([gzipSync('<a>'), Buffer.alloc(10)]), 'gzip: invalid header'],
    ['a wrong checksum', Buffer.concat([gzipSync('<a>').subarray(0, -8), Buffer.alloc(8)]), 'gzip: invalid checksum'],
  ])('with a page that is %s is a 500', async (_case, body, message) => {
    respond = (_message, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }).end(body);
    };
    const { status, text, headers } = await send('/x');
    expect([status, text, headers['content-encoding']]).toEqual([500, message, undefined]);
  });

  it('that ends within a page is a 500', async () => {
    respond = (_message, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': 100 });
      response.write(link, () => response.destroy());
    };
    const { status, text } = await send('/x');
    expect([status, text]).toEqual([500, 'unexpected EOF']);
  });

  it('with an unknown content encoding is unchanged', async () => {
    respond = (_message, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'br' }).end('<a href="/x">');
    };
    expect((await send('/x')).text).toBe('<a href="/x">');
  });

  it('to a HEAD has no body', async () => {
    respond = (_message, response) => void response.writeHead(200, { 'Content-Length': '5' }).end();
    const { status, headers, text } = await send('/x', { method: 'HEAD' });
    expect([status, headers['content-length'], text]).toEqual([200, '5', '']);
  });
});

describe('an upgrade', () => {
  const head = (extra: string) =>
    `GET ${PREFIX}/socket${extra} HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`;

  it('is forwarded with early data, and ends with either side', async () => {
    backend.once('upgrade', (message: IncomingMessage, socket, early: Buffer) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${message.headers.upgrade}\r\n\r\nfirst,${early}`,
      );
      socket.pipe(socket);
    });
    const client = connect(gateway.port, '127.0.0.1');
    client.write(`${head('')}early,`);
    let text = '';
    client.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await expect.poll(() => text).toContain('first,early,');
    client.write('late');
    await expect.poll(() => text).toContain('late');
    const before = gateway.finished.length;
    client.destroy();
    await expect.poll(() => gateway.finished.length).toBe(before + 1);
  });

  it.each([
    ['', 'Go-http-client/1.1'],
    ['User-Agent: \r\n', undefined],
    ['User-Agent: kubectl/v1\r\n', 'kubectl/v1'],
  ])('with the field %j names the client %s', async (field, agent) => {
    const asked = once(backend, 'upgrade');
    const client = connect(gateway.port, '127.0.0.1').on('error', () => {});
    client.write(head('').replace('Connection', `${field}Connection`));
    const [message, socket] = (await asked) as [IncomingMessage, Socket];
    expect(message.headers['user-agent']).toBe(agent);
    socket.destroy();
    client.destroy();
  });

  it.each([
    [
      'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nX-Why: so\r\n\r\nno',
      'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nX-Why: so\r\n\r\nno',
    ],
    ['HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n', 'HTTP/1.1 500 Refused'],
    ['no http at all\r\n\r\n', 'HTTP/1.1 500 Refused'],
  ])('that the backend refuses with %j', async (said, expected) => {
    backend.once('upgrade', (_message, socket) => void socket.end(said));
    const client = connect(gateway.port, '127.0.0.1');
    client.write(head(''));
    const text = Buffer.concat(await Array.fromAsync<Buffer>(client)).toString();
    expect(text.startsWith(expected)).toBe(true);
  });

  it('without a protocol gets the refusal of the backend as a response, and no other response', async () => {
    const connection = { headers: { Connection: 'Upgrade' } };
    respond = (_message, response) => void response.writeHead(403, { 'X-Why': 'so' }).end('no');
    const refused = await send('/socket', connection);
    expect([refused.status, refused.headers['x-why'], refused.text]).toEqual([403, 'so', 'no']);
    const packed = gzipSync('packed');
    const headers = { 'Content-Encoding': 'gzip' };
    for (const lines of [headers, { ...headers, 'Content-Length': packed.length }]) {
      respond = (_message, response) => void response.writeHead(404, lines).end(packed);
      expect((await send('/socket', connection)).bytes).toEqual(packed);
    }
    respond = (_message, response) => void response.end('hello');
    const passed = await send('/socket', connection);
    expect([passed.status, passed.text]).toEqual([500, 'invalid upgrade response: status code 200']);
  });
});
