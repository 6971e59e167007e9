import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
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

it.each(['http', 'https'] as const)(
  'opens no connection for a request of %s that was aborted before its turn',
  async (scheme) => {
    let connections = 0;
    const silent = createServer((socket) => {
      connections++;
      socket.on('error', () => {});
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const port = String((silent.address() as AddressInfo).port);
    const location = { scheme, hostname: '127.0.0.1', port, path: '/', rawQuery: '' };
    const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 10_000 };
    const send = ({ signal }: AbortController) =>
      fetchBackend(location, transport, { method: 'GET', headers: {} }, signal);
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const sent = [send(first)];
    // Longer than the time that a turn has for all connections.
    for (const end = performance.now() + 5; performance.now() < end; );
    sent.push(send(second), send(third));
    const settled = Promise.allSettled(sent);
    second.abort('too early');
    await vi.waitFor(() => expect(connections).toBeGreaterThan(1));
    await setTimeout(50);
    expect(connections).toBe(2);
    for (const one of [first, third]) one.abort('at last');
    const reasons = (await settled).map((one) => one.status === 'rejected' && one.reason);
    expect(reasons).toEqual(['at last', 'too early', 'at last']);
    silent.close();
  },
);
