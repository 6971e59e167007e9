import { Buffer } from 'node:buffer';
import { text } from 'node:stream/consumers';
import { isStatusError } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, ExchangeOutcome, Handler } from '@apiserver/apiserver-contracts';
import { silentLogger } from '@apiserver/apiserver-contracts/testing';
import { expect, it } from 'vitest';
import { ConnectionCut } from '../transport/connection-cut.js';
import { type Fetch, toFetch } from './to-fetch.js';

/** A fetch of a handler, and the outcomes of its exchanges. */
function fetchOf(handler: Handler): { fetch: Fetch; outcomes: ExchangeOutcome[] } {
  const outcomes: ExchangeOutcome[] = [];
  const counted: Handler = (exchange) => {
    exchange.onFinished((outcome) => outcomes.push(outcome));
    return handler(exchange);
  };
  return { fetch: toFetch(counted, { logger: silentLogger, now: () => 0 }), outcomes };
}

const bytes = (body: string | undefined, status = 200): ApiResponse => ({
  type: 'bytes',
  status,
  body: body === undefined ? undefined : Buffer.from(body),
});

it.each([
  ['/api/v1/pods?watch=1&a=%2F', { path: '/api/v1/pods', rawQuery: 'watch=1&a=%2F', host: 'localhost' }],
  ['https://plane:1/a%20b/../c#x', { path: '/a b/../c', rawQuery: '', host: 'plane:1' }],
  [new URL('https://plane/a%2fb'), { path: '/a/b', rawQuery: '', host: 'plane' }],
  [new Request('https://plane/x?y'), { path: '/x', rawQuery: 'y', host: 'plane' }],
])('hands on %s', async (input, expected) => {
  let seen: Partial<Exchange['request']> = {};
  const { fetch } = fetchOf(({ request: { path, rawQuery, host, method, secure, peerCertificates } }) => {
    seen = { path, rawQuery, host, method, secure, peerCertificates };
    return bytes('');
  });
  await fetch(input);
  expect(seen).toEqual({ ...expected, method: 'GET', secure: true, peerCertificates: undefined });
});

it('lets timers run between calls that follow each other', async () => {
  const { fetch } = fetchOf(() => bytes(''));
  let over = false;
  setTimeout(() => {
    over = true;
  });
  while (!over) await fetch('/a');
});

it('refuses a path with an invalid escape, as a TypeError', async () => {
  const { fetch, outcomes } = fetchOf(() => bytes(''));
  await expect(fetch('/api/%zz')).rejects.toThrow(TypeError);
  expect(outcomes).toEqual([]);
});

it('hands on headers and body, and gives head and body back', async () => {
  const { fetch, outcomes } = fetchOf(async ({ request, responseHeaders }) => {
    responseHeaders.append('warning', '299 - "a"');
    responseHeaders.append('warning', '299 - "b"');
    return bytes(`${request.headers.get('Content-Type')} ${Buffer.from(await request.readBody(10))}`, 201);
  });
  const response = await fetch('/a', { method: 'POST', body: 'body', headers: { 'content-type': 'text/x' } });
  expect([response.status, Object.fromEntries(response.headers), await response.text()]).toEqual([
    201,
    { 'content-length': '11', date: 'Thu, 01 Jan 1970 00:00:00 GMT', warning: '299 - "a", 299 - "b"' },
    'text/x body',
  ]);
  expect(outcomes).toEqual([{ status: 201, bytesWritten: 11, aborted: false }]);
});

it('counts the bytes of a request against the limit', async () => {
  let error: unknown;
  const { fetch } = fetchOf(async ({ request }) => {
    await request.readBody(3).catch((thrown: unknown) => {
      error = thrown;
    });
    return bytes('');
  });
  await fetch('/a', { method: 'POST', body: 'body' });
  expect(isStatusError(error) && error.status.code).toBe(413);
});

it('streams the body of a proxied request', async () => {
  const { fetch } = fetchOf(async ({ request }) => {
    const stream = request.bodyStream();
    return bytes(stream === undefined ? 'none' : await text(stream));
  });
  const bodies = [await fetch('/a'), await fetch('/a', { method: 'PUT', body: 'sent' })];
  expect(await Promise.all(bodies.map((response) => response.text()))).toEqual(['none', 'sent']);
});

it.each([
  ['HEAD', bytes('body'), { status: 200, length: '4' }],
  ['GET', bytes(undefined, 204), { status: 204, length: null }],
  [
    'HEAD',
    { type: 'stream', status: 200, run: () => Promise.reject(new Error('ran')) } as const,
    { status: 200, length: null },
  ],
])('gives no body to %s of %j', async (method, answer, { status, length }) => {
  const { fetch, outcomes } = fetchOf(() => answer);
  const response = await fetch('/a', { method });
  expect([response.status, response.headers.get('content-length'), response.body]).toEqual([status, length, null]);
  expect(outcomes).toEqual([{ status, bytesWritten: 0, aborted: false }]);
});

it('gives copies of chunks, and each chunk back when it is copied', async () => {
  const returned: Uint8Array[] = [];
  const chunk = Buffer.from('ab');
  const { fetch, outcomes } = fetchOf(() => ({
    type: 'chunks',
    status: 200,
    chunks: [chunk, chunk],
    giveBack: (given) => {
      returned.push(given);
      given.fill(0x2d);
      chunk.write('cd');
    },
  }));
  expect(await (await fetch('/a')).text()).toBe('abcd');
  expect([returned, outcomes]).toEqual([[chunk, chunk], [{ status: 200, bytesWritten: 4, aborted: false }]]);
});

it('waits with chunks for a reader', async () => {
  let pulled = 0;
  function* chunks() {
    for (; pulled < 100; pulled++) yield new Uint8Array(16 * 1024);
  }
  const { fetch } = fetchOf(() => ({ type: 'chunks', status: 200, chunks: chunks() }));
  const response = await fetch('/a');
  await new Promise((resolve) => setImmediate(resolve));
  expect(pulled).toBeLessThan(10);
  expect((await response.arrayBuffer()).byteLength).toBe(100 * 16 * 1024);
});

/** A watch: one event, then nothing until the exchange is aborted. */
const watching: Handler = (exchange) => ({
  type: 'stream',
  status: 200,
  run: async (writer) => {
    writer.write(Buffer.from('event'));
    await new Promise((resolve) => exchange.signal.addEventListener('abort', resolve));
  },
});
const abortedWatch = [{ status: 200, bytesWritten: 5, aborted: true }];

it('ends a watch when the signal of the caller aborts', async () => {
  const { fetch, outcomes } = fetchOf(watching);
  const controller = new AbortController();
  const { body } = await fetch('/a', { signal: controller.signal });
  const reader = body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('event');
  controller.abort(new Error('enough'));
  await expect(reader?.read()).rejects.toThrow('enough');
  expect(outcomes).toEqual(abortedWatch);
});

it('ends a watch when the reader cancels', async () => {
  const { fetch, outcomes } = fetchOf(watching);
  const { body } = await fetch('/a');
  for await (const _ of body ?? []) break;
  expect(outcomes).toEqual(abortedWatch);
});

it('ends a watch in order that the server aborts, as a connection does', async () => {
  const { fetch, outcomes } = fetchOf((exchange) => {
    setImmediate(() => exchange.abort(new Error('apiserver is shutting down')));
    return watching(exchange);
  });
  expect(await (await fetch('/a')).text()).toBe('event');
  expect(outcomes).toEqual([{ status: 200, bytesWritten: 5, aborted: false }]);
});

it('rejects as fetch does when the server cuts the connection', async () => {
  const { fetch, outcomes } = fetchOf(({ request }) => {
    if (request.path === '/head') throw new ConnectionCut();
    return {
      type: 'stream',
      status: 200,
      run: async (writer) => {
        writer.write(Buffer.from('half'));
        throw new ConnectionCut();
      },
    };
  });
  await expect(fetch('/head')).rejects.toThrow(new TypeError('fetch failed'));
  await expect((await fetch('/body')).text()).rejects.toThrow(new TypeError('terminated'));
  expect(outcomes).toEqual([
    { status: 0, bytesWritten: 0, aborted: true },
    { status: 200, bytesWritten: 4, aborted: true },
  ]);
});

it('rejects when the fetch API has no such response', async () => {
  const { fetch, outcomes } = fetchOf(() => bytes('odd', 999));
  await expect(fetch('/a')).rejects.toThrow(new TypeError('fetch failed'));
  expect(outcomes).toMatchObject([{ aborted: true }]);
});

it.each([204, 205, 304])('gives no body to a %i', async (status) => {
  const none = { bytes: bytes('', status), stream: { type: 'stream', status, run: async () => {} } } as const;
  const chunks = { type: 'chunks', status, chunks: (async function* () {})() } as const;
  for (const response of [none.bytes, none.stream, chunks]) {
    const { fetch } = fetchOf(() => response);
    const { status: given, body } = await fetch('/a');
    expect([given, body]).toEqual([status, null]);
  }
});

it('rejects when the signal of the caller aborts before the head', async () => {
  const { fetch, outcomes } = fetchOf(() => new Promise(() => {}));
  const controller = new AbortController();
  const response = fetch('/a', { signal: controller.signal });
  setImmediate(() => controller.abort(new Error('enough')));
  await expect(response).rejects.toThrow('enough');
  expect(outcomes).toEqual([{ status: 0, bytesWritten: 0, aborted: true }]);
});

it('answers 500 for a bug of the handler', async () => {
  const { fetch, outcomes } = fetchOf(() => Promise.reject(new Error('bug')));
  const response = await fetch('/a');
  expect([response.status, await response.text()]).toEqual([500, 'Internal Server Error\n']);
  expect(outcomes).toMatchObject([{ status: 500, aborted: false }]);
});

it('refuses upgrades', async () => {
  const { fetch } = fetchOf(() => ({ type: 'upgrade', run: async () => {} }));
  expect((await fetch('/a')).status).toBe(500);
});
