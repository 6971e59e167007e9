import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { MAX_RESPONSE_HEAD_BYTES } from './broken-connection.js';
import { dialErrorText } from './dial-error.js';
import { fetchBackend } from './fetch-backend.js';

const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 5_000 };

/** The status of a backend's response, or the text of the failure; `answer` gets the connection after a request. */
async function outcome(answer: (socket: Socket) => void): Promise<string> {
  const backend = createServer((socket) => socket.on('error', () => {}).once('data', () => answer(socket)));
  await once(backend.listen(0, '127.0.0.1'), 'listening');
  const port = String((backend.address() as AddressInfo).port);
  const location = { scheme: 'http', hostname: '127.0.0.1', port, path: '/', rawQuery: '' } as const;
  const { signal } = new AbortController();
  try {
    const response = await fetchBackend(location, transport, { method: 'GET', headers: {} }, signal);
    response.on('error', () => {}).destroy();
    return String(response.statusCode);
  } catch (error) {
    return dialErrorText(error, location).replace(/127\.0\.0\.1:\d+/g, 'ADDRESS');
  } finally {
    backend.close();
  }
}

const BROKEN = 'net/http: HTTP/1.x transport connection broken: ';

it.each([
  ['', 'EOF'],
  ['HTTP/1.1 200 OK\r\nA: b', `${BROKEN}unexpected EOF`],
  ['HTTP/1.1 100 Continue\r\n\r\n', `${BROKEN}unexpected EOF`],
  [
    '\0\0\x06\x04\0\0\0\0\0\0\x05\0\0@\0',
    String.raw`${BROKEN}malformed HTTP response "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00@\x00"`,
  ],
  ['hello\r\n\r\n', `${BROKEN}malformed HTTP response "hello"`],
  ['SSH-2.0-OpenSSH_9.6 Debian\r\n', `${BROKEN}malformed HTTP status code "Debian"`],
  ['\xff \xe9\n', String.raw`${BROKEN}malformed HTTP status code "\xe9"`],
  ['HTTP/3 200 OK\r\n\r\n', `${BROKEN}malformed HTTP version "HTTP/3"`],
  ['HTTP/1.1 2000 OK\r\n\r\n', `${BROKEN}malformed HTTP status code "2000"`],
  ['HTTP/1.1 200 OK\r\nBad header\r\n\r\n', `${BROKEN}malformed MIME header: missing colon: "Bad header"`],
  ['HTTP/1.1 200 OK\r\nBad: \x01\r\n\r\n', String.raw`${BROKEN}malformed MIME header line: "Bad: \x01"`],
  ['HTTP/1.1 200 OK\r\n A: b\r\n\r\n', `${BROKEN}malformed MIME header initial line: " A: b"`],
  ['HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n', `${BROKEN}bad Content-Length "+5"`],
  ['HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n', `${BROKEN}invalid empty Content-Length ""`],
  [
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
    `${BROKEN}http: message cannot contain multiple Content-Length headers; got ["5" "6"]`,
  ],
  [`HTTP/1.1 200 OK\r\nA: ${'x'.repeat(50_000)}\r\nContent-Length: 0\r\n\r\n`, '200'],
  [
    `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(MAX_RESPONSE_HEAD_BYTES)}\r\n\r\n`,
    `${BROKEN}net/http: server response headers exceeded ${MAX_RESPONSE_HEAD_BYTES} bytes; aborted`,
  ],
])("tells in Go's words of a backend that sends %.40j and ends", async (text, expected) => {
  expect(await outcome((socket) => void socket.end(Buffer.from(text, 'latin1')))).toBe(expected);
});

it("tells in Go's words of a backend that resets the connection", async () => {
  const reset = await outcome((socket) => void socket.resetAndDestroy());
  expect(reset).toBe('read tcp ADDRESS->ADDRESS: read: connection reset by peer');
});
