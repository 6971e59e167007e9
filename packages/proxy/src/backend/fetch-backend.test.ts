import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { fetchBackend } from './fetch-backend.js';

it('gives up a backend that accepts connections and never speaks TLS', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const port = String((silent.address() as AddressInfo).port);
  const location = { scheme: 'https', hostname: '127.0.0.1', port, path: '/', rawQuery: '' } as const;
  const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 100 };
  const { signal } = new AbortController();
  const sent = { method: 'GET', headers: {} };
  await expect(fetchBackend(location, transport, sent, signal)).rejects.toThrow('net/http: TLS handshake timeout');
  for (const socket of sockets) socket.destroy();
  silent.close();
});

it('opens no connection for a request that was aborted before its turn', async () => {
  let connections = 0;
  const sockets: Socket[] = [];
  const silent = createServer((socket) => {
    connections++;
    sockets.push(socket.on('error', () => {}));
  });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const port = String((silent.address() as AddressInfo).port);
  const location = { scheme: 'https', hostname: '127.0.0.1', port, path: '/', rawQuery: '' } as const;
  const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 100 };
  const send = (signal: AbortSignal) => fetchBackend(location, transport, { method: 'GET', headers: {} }, signal);
  const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
  const sent = [send(first.signal)];
  // Longer than the time that a turn has for all connections.
  for (const end = performance.now() + 5; performance.now() < end; );
  sent.push(send(second.signal), send(third.signal));
  second.abort(new Error('nobody waits'));
  const messages = (await Promise.allSettled(sent)).map((one) => one.status === 'rejected' && one.reason.message);
  expect(messages).toEqual(['net/http: TLS handshake timeout', 'nobody waits', 'net/http: TLS handshake timeout']);
  expect(connections).toBe(2);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
