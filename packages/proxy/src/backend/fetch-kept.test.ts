import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dialErrorText } from './dial-error.js';
import { fetchKept, type KeptRequest } from './fetch-kept.js';

/** A new transport has connections of its own. */
const transport = () => ({ ca: '', certificate: '', key: '', verify: false, connectTimeout: 5_000 });

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

let backend: Server;
let sockets: Socket[];
/** Requests of all connections. */
let asked: number;
/** Answers a request; by default with a 200. */
let answer: (socket: Socket, count: number) => void;

beforeEach(async () => {
  sockets = [];
  asked = 0;
  answer = (socket) => void socket.write(OK);
  backend = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.on('data', (chunk) => {
      if (/^[A-Z]+ \/ HTTP/.test(chunk.toString())) answer(socket, ++asked);
    });
  });
  await once(backend.listen(0, '127.0.0.1'), 'listening');
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  backend.close();
});

function client() {
  const port = String((backend.address() as AddressInfo).port);
  const location = { scheme: 'http', hostname: '127.0.0.1', port, path: '/', rawQuery: '' } as const;
  const connections = transport();
  return async (request: KeptRequest): Promise<string> => {
    try {
      const response = await fetchKept(location, connections, request, new AbortController().signal);
      response.resume();
      await once(response, 'close');
      return String(response.statusCode);
    } catch (error) {
      return dialErrorText(error, location);
    }
  };
}

const get = { method: 'GET', headers: {} };
const review = { method: 'POST', headers: { 'Content-Length': '4' }, bytes: Buffer.from('body') };

it.each<[string, KeptRequest, string, number]>([
  ['GET', get, '200', 3],
  ['GET with a body', { ...review, method: 'GET' }, '200', 3],
  ['POST', review, 'EOF', 2],
  ['DELETE', { method: 'DELETE', headers: {} }, 'EOF', 2],
  ['POST with a key', { ...review, headers: { ...review.headers, 'Idempotency-Key': '1' } }, '200', 3],
])(
  'a %s that a kept connection has sent is repeated only if it changes nothing',
  async (_, request, outcome, count) => {
    answer = (socket, count) => void (count === 2 ? socket.destroy() : socket.write(OK));
    const send = client();
    expect([await send(get), await send(request), asked]).toEqual(['200', outcome, count]);
  },
);

it('a request on a new connection is not repeated', async () => {
  answer = (socket) => void socket.destroy();
  expect([await client()(get), asked]).toEqual(['EOF', 1]);
});

it('a GET outlives any number of closed connections', async () => {
  answer = () => {};
  const send = client();
  const first = Array.from({ length: 12 }, () => send(get));
  await expect.poll(() => asked).toBe(12);
  for (const socket of sockets) socket.write(OK);
  await Promise.all(first);
  // Each is closed when the next request has come.
  answer = (socket) => void (sockets.indexOf(socket) < 12 ? socket.destroy() : socket.write(OK));
  expect([await send(get), asked]).toEqual(['200', 25]);
});

it.each(['end', 'destroy', 'resetAndDestroy'] as const)(
  'a POST gets no connection that the backend has closed by %s',
  async (close) => {
    const send = client();
    await send(get);
    const [kept] = sockets as [Socket];
    kept[close]();
    // The close has arrived, and the event loop has not polled since.
    expect([await send(review), asked]).toEqual(['200', 2]);
  },
);
