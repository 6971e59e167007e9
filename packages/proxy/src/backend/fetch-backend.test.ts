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
