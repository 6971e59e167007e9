import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type ClientHttp2Session, constants, type IncomingHttpHeaders } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ApiResponse, Exchange, ExchangeOutcome, Handler } from '@apiserver/apiserver-contracts';
import { makeTestCertificate } from '@apiserver/authentication/testing';
import { describe, expect, it } from 'vitest';
import {
  alice,
  authority,
  between,
  fetchHttp1,
  fetchHttp2,
  listen,
  raw,
  session,
} from '../testing/listener-fixture.js';

function bytes(status: number, body: string): ApiResponse {
  return { type: 'bytes', status, body: Buffer.from(body) };
}

/** Answers with what the server saw of the request. */
const echo: Handler = async (exchange) => {
  const { request } = exchange;
  const body = await request.readBody(1000);
  exchange.responseHeaders.set('content-type', 'application/json');
  const seen = {
    method: request.method,
    url: request.url,
    path: request.path,
    rawQuery: request.rawQuery,
    query: [...request.query],
    groups: request.headers.all('Impersonate-Group'),
    accept: request.headers.get('ACCEPT'),
    user: request.headers.get('impersonate-user'),
    names: [...request.headers.names()].filter((name) => name.startsWith(':')),
    version: request.httpVersion,
    remote: request.remoteAddress,
    secure: request.secure,
    certificates: request.peerCertificates?.chain.length,
    body: Buffer.from(body).toString(),
  };
  return bytes(200, JSON.stringify(seen));
};

describe('a request', () => {
  const expected = {
    method: 'POST',
    url: '/a%20b/%C3%BC?x=1&y=%zz&z=a%2Bb',
    path: '/a b/ü',
    rawQuery: 'x=1&y=%zz&z=a%2Bb',
    query: [
      ['x', '1'],
      ['z', 'a+b'],
    ],
    groups: ['one, two', 'three'],
    accept: 'text/plain',
    user: 'Grüße',
    names: [],
    remote: '127.0.0.1',
    secure: true,
    certificates: 2,
    body: 'hello',
  };
  // Node's clients send a byte for a character.
  const user = Buffer.from(expected.user).toString('latin1');
  const headers = { 'impersonate-group': ['one, two', 'three'], accept: 'text/plain', 'impersonate-user': user };
  const credentials = { cert: alice.certificate + between.certificate, key: alice.key };

  it('is the same value on HTTP/2', async () => {
    const { port } = await listen(echo);
    const client = session(port, credentials);
    const answer = await fetchHttp2(client, { ':method': 'POST', ':path': expected.url, ...headers }, 'hello');
    expect(JSON.parse(answer.body)).toEqual({ ...expected, version: '2.0' });
    expect(answer.headers).toMatchObject({
      'content-length': String(Buffer.byteLength(answer.body)),
      date: expect.any(String),
    });
  });

  it('is the same value on HTTP/1.1', async () => {
    const { port } = await listen(echo);
    const options = { method: 'POST', path: expected.url, headers, ...credentials };
    const answer = await fetchHttp1(port, options, 'hello');
    expect(JSON.parse(answer.body)).toEqual({ ...expected, version: '1.1' });
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)));
  });

  it('needs no certificate', async () => {
    const { port } = await listen(echo);
    expect(JSON.parse((await fetchHttp2(session(port), {})).body).certificates).toBeUndefined();
  });

  it('is refused with 413 as soon as its body is too large, and the connection lives on', async () => {
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
    expect(await fetchHttp1(port, { method: 'POST' }, large)).toMatchObject({
      status: 413,
      body: message,
      headers: { connection: 'close' },
    });
  });
});

describe('a body', () => {
  it.each(['breaks off', 'never comes'])('that %s is refused, whenever it is asked for', async (how) => {
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
});

describe('an answer', () => {
  it.each<[string, ApiResponse, string]>([
    ['bytes', bytes(201, 'made'), 'made'],
    ['chunks', { type: 'chunks', status: 201, chunks: ['a', 'b', 'c'].map((text) => Buffer.from(text)) }, 'abc'],
    [
      'a stream',
      {
        type: 'stream',
        status: 201,
        run: async (writer) => {
          writer.write(Buffer.from('1'));
          writer.write(Buffer.from('2'));
          await new Promise((resolve) => setTimeout(resolve, 5));
          writer.write(Buffer.from('3'));
        },
      },
      '123',
    ],
    ['nothing', { type: 'bytes', status: 204, body: undefined }, ''],
  ])('of %s is the same on both, and its outcome is told', async (_, response, body) => {
    const outcomes: ExchangeOutcome[] = [];
    const { port } = await listen((exchange) => {
      exchange.onFinished((outcome) => outcomes.push(outcome));
      exchange.responseHeaders.set('X-One', 'ü');
      exchange.responseHeaders.append('Warning', '299 - "a"');
      exchange.responseHeaders.append('Warning', '299 - "b"');
      return response;
    });
    const wanted = { status: response.type === 'upgrade' ? 0 : response.status, body };
    const h2 = await fetchHttp2(session(port), {});
    const h1 = await fetchHttp1(port);
    expect(h2).toMatchObject({ ...wanted, headers: { warning: '299 - "a", 299 - "b"' } });
    expect(h1).toMatchObject({ ...wanted, headers: { warning: '299 - "a", 299 - "b"' } });
    expect([h2, h1].map(({ headers }) => Buffer.from(String(headers['x-one']), 'latin1').toString())).toEqual([
      'ü',
      'ü',
    ]);
    const outcome = { status: wanted.status, bytesWritten: body.length, aborted: false };
    await expect.poll(() => outcomes).toEqual([outcome, outcome]);
  });

  it('of HEAD has the length but no body', async () => {
    const { port } = await listen(() => bytes(200, 'text'));
    const wanted = { status: 200, body: '', headers: { 'content-length': '4' } };
    expect(await fetchHttp2(session(port), { ':method': 'HEAD' })).toMatchObject(wanted);
    expect(await fetchHttp1(port, { method: 'HEAD' })).toMatchObject(wanted);
  });

  it.each([
    [406, 'GET', '0'],
    [304, 'GET', undefined],
    [204, 'GET', undefined],
    [404, 'HEAD', undefined],
  ])('of %i without a body says so (%s)', async (status, method, length) => {
    const { port } = await listen(() => ({ type: 'bytes', status, body: undefined }));
    const h2 = await fetchHttp2(session(port), { ':method': method });
    const h1 = await fetchHttp1(port, { method });
    expect([h2, h1].map(({ headers }) => headers['content-length'])).toEqual([length, length]);
  });

  it('without a body reaches a client that is still sending, who is then told to stop', async () => {
    const { port } = await listen(() => ({ type: 'bytes', status: 204, body: undefined }));
    const stream = session(port).request({ ':method': 'POST', ':path': '/' }, { endStream: false });
    stream.write('begun');
    const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    await once(stream.resume(), 'close');
    expect([head[':status'], stream.rstCode]).toEqual([204, constants.NGHTTP2_NO_ERROR]);
  });

  it('that throws after its head breaks off, so that nobody takes it for whole', async () => {
    const { port, lines } = await listen(() => ({
      type: 'chunks',
      status: 200,
      chunks: (async function* () {
        yield Buffer.from('half');
        throw new Error('lost');
      })(),
    }));
    expect((await fetchHttp2(session(port), {})).rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    await expect(fetchHttp1(port)).rejects.toThrow();
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('is 500 when the handler throws, and the server goes on', async () => {
    const { port } = await listen(() => {
      throw new Error('bug');
    });
    const client = session(port);
    expect(await fetchHttp2(client, {})).toMatchObject({ status: 500, body: 'Internal Server Error\n' });
    expect(await fetchHttp1(port)).toMatchObject({ status: 500, body: 'Internal Server Error\n' });
  });

  it('of many large bodies at once fits one connection', async () => {
    const body = Buffer.alloc(4 * 1024 * 1024, 'x');
    const { port } = await listen(() => ({ type: 'bytes', status: 200, body }));
    const client = session(port, { settings: { initialWindowSize: 16_384 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetchHttp2(client, {})));
    expect(answers.map((answer) => answer.body.length)).toEqual(answers.map(() => body.length));
  });

  it('is whole although its memory is used for other things once it is given back', async () => {
    const chunks = Array.from({ length: 60 }, (_, index) => Buffer.alloc(100_000, index + 1));
    const expected = Buffer.concat(chunks).toString('latin1');
    const givenBack: Uint8Array[] = [];
    const giveBack = (chunk: Uint8Array) => void givenBack.push(chunk.fill(0));
    const { port } = await listen(() => ({ type: 'chunks', status: 200, chunks, giveBack }));
    expect((await fetchHttp2(session(port), {})).body === expected).toBe(true);
    expect(givenBack).toEqual(chunks);
  });

  it('stops reading its source when the client does not read, and ends it when the client goes', async () => {
    let produced = 0;
    let ended = false;
    const { port } = await listen(() => ({
      type: 'chunks',
      status: 200,
      chunks: (async function* () {
        try {
          for (; produced < 10_000; produced++) yield Buffer.alloc(16_384);
        } finally {
          ended = true;
        }
      })(),
    }));
    const stream = session(port).request({ ':path': '/' });
    stream.on('error', () => {});
    await new Promise((resolve) => stream.once('response', resolve));
    stream.pause();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const afterPause = produced;
    expect(afterPause).toBeLessThan(200);
    stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(() => ended).toBe(true);
    expect(produced).toBeLessThan(afterPause + 200);
  });
});

describe('a client that goes away', () => {
  it.each(['HTTP/2', 'HTTP/1'])('aborts the exchange on %s', async (version) => {
    const outcomes: ExchangeOutcome[] = [];
    let seen: Exchange | undefined;
    const { port } = await listen((exchange) => {
      seen = exchange;
      exchange.onFinished((outcome) => outcomes.push(outcome));
      return {
        type: 'stream',
        status: 200,
        run: () => new Promise((resolve) => exchange.signal.addEventListener('abort', () => resolve())),
      };
    });
    if (version === 'HTTP/2') {
      const stream = session(port).request({ ':path': '/' });
      stream.on('error', () => {});
      await new Promise((resolve) => stream.once('response', resolve));
      stream.close(constants.NGHTTP2_CANCEL);
    } else {
      await new Promise<void>((resolve) => {
        const request = requestHttps(
          { host: '127.0.0.1', port, servername: 'localhost', ca: authority.certificate },
          (response) => {
            response.on('error', () => {});
            request.destroy();
            resolve();
          },
        );
        request.on('error', () => {});
        request.end();
      });
    }
    await expect.poll(() => outcomes).toEqual([{ status: 200, bytesWritten: 0, aborted: true }]);
    expect(seen?.signal.aborted).toBe(true);
  });

  /** Opens watches and gives them up, 30 at a time, until `isEnough`; answers how many. */
  async function giveUp(client: ClientHttp2Session, path: string, isEnough: (resets: number) => boolean) {
    let resets = 0;
    for (; !isEnough(resets); resets += 30) {
      const streams = Array.from({ length: 30 }, () => client.request({ ':path': path }).on('error', () => {}));
      const closed = streams.map((stream) => once(stream, 'close'));
      for (const stream of streams) stream.once('response', () => stream.close(constants.NGHTTP2_CANCEL));
      await new Promise((resolve) => client.ping(resolve));
      if (path === '/unanswered') for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      await Promise.all(closed);
    }
    return resets;
  }

  const watched: Handler = async (exchange) => {
    const gone = new Promise((resolve) => exchange.signal.addEventListener('abort', resolve));
    if (exchange.request.path === '/unanswered') await gone;
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

  it('is sent to a new connection before its resets end it, and its watches live on', async () => {
    const { port } = await listen(watched);
    const client = session(port);
    const goaways: number[] = [];
    client.on('goaway', (code) => goaways.push(code));
    const watch = fetchHttp2(client, { ':path': '/watch' });
    const resets = await giveUp(client, '/unanswered', (count) => goaways.length > 0 || count >= 990);
    expect(new Set(goaways)).toEqual(new Set([constants.NGHTTP2_NO_ERROR]));
    expect(resets).toBeLessThan(1000);
    expect(await watch).toMatchObject({ status: 200, body: 'started still here', rstCode: 0 });
  });

  it('may give up as many answers as it likes once they have begun', async () => {
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

describe('the listener', () => {
  it('refuses old TLS and speaks HTTP/1.1 without ALPN', async () => {
    const { port } = await listen(echo);
    await expect(fetchHttp1(port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow();
    expect(await fetchHttp1(port, { ALPNProtocols: [] })).toMatchObject({ status: 200 });
  });

  it('shares its port with those who ask for that too, with nobody else', async () => {
    const { port } = await listen(echo, {}, { sharePort: true });
    await expect(listen(echo, {}, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(await listen(echo, {}, { port, sharePort: true })).toMatchObject({ port });
    const alone = await listen(echo);
    await expect(listen(echo, {}, { port: alone.port, sharePort: true })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('gives up a head that does not end, and a handshake that does not begin', async () => {
    const { port } = await listen(echo, { headersTimeout: 300 });
    const dripping = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    dripping.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const drops = setInterval(() => dripping.write('X: y\r\n'), 50);
    const silent = connectTcp(port, '127.0.0.1');
    const ended = [dripping, silent].map(
      (socket) => new Promise((resolve) => socket.on('error', () => {}).on('close', resolve)),
    );
    const begun = performance.now();
    for (const socket of [dripping, silent]) socket.resume();
    await Promise.all(ended);
    clearInterval(drops);
    expect(performance.now() - begun).toBeGreaterThan(250);
    expect(await fetchHttp1(port)).toMatchObject({ status: 200 });
  });

  it('limits streams, and closes the connection of an answer that says so', async () => {
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

  it('hands upgrades over, and answers those that are refused', async () => {
    const { port } = await listen((exchange) =>
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

  it('finishes open requests when it closes, and cuts off what lasts longer', async () => {
    let finish: (() => void) | undefined;
    const { port, listener } = await listen(
      (exchange) =>
        new Promise((resolve) => {
          if (exchange.request.path === '/slow') finish = () => resolve(bytes(200, 'done'));
        }),
    );
    const client = session(port);
    const slow = fetchHttp2(client, { ':path': '/slow' });
    const never = fetchHttp2(client, { ':path': '/never' }).catch(() => 'cut off');
    await expect.poll(() => finish).toBeDefined();
    const closed = listener.close(300);
    setTimeout(() => finish?.(), 50);
    expect(await slow).toMatchObject({ status: 200, body: 'done' });
    await closed;
    await never;
    await expect(fetchHttp1(port)).rejects.toThrow('ECONNREFUSED');
  });

  it('ends a head that is half there when it is closed again with less patience', async () => {
    const { listener, port } = await listen(() => ({ type: 'bytes', status: 200, body: undefined }));
    const answer = raw(port, 'GET / HTTP/1.1\r\nHost: x\r\n').catch(() => 'reset');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const patient = listener.close(60_000);
    await listener.close(0);
    await patient;
    expect(['', 'reset']).toContain(await answer);
  });

  it('serves new connections with new certificates', async () => {
    const { port, listener } = await listen(echo);
    const other = makeTestCertificate({ commonName: 'renewed', issuer: authority, hosts: ['localhost'] });
    listener.setTls({
      certificate: other.certificate,
      key: other.key,
      clientCA: '',
      minVersion: 'TLSv1.2',
      cipherSuites: [],
    });
    const name = await new Promise((resolve) => {
      const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: authority.certificate }, () => {
        resolve(socket.getPeerCertificate().subject.CN);
        socket.destroy();
      });
    });
    expect(name).toBe('renewed');
  });
});
