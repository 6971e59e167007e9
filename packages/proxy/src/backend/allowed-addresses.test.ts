import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BackendLocation, BackendTransport } from './backend.js';
import { dial } from './dial.js';
import { fetchBackend } from './fetch-backend.js';

const open: BackendTransport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 5_000 };
const { signal } = new AbortController();

let connections = 0;
let port: string;
const backend = createServer((socket) => {
  connections++;
  socket.on('error', () => {}).end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
});

beforeAll(async () => {
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  port = String((backend.address() as AddressInfo).port);
});
afterAll(() => void backend.close());
beforeEach(() => {
  connections = 0;
});

const location = (hostname: string): BackendLocation => ({ scheme: 'http', hostname, port, path: '/', rawQuery: '' });
const ways = {
  request: (hostname: string, transport: BackendTransport) =>
    fetchBackend(location(hostname), transport, { method: 'GET', headers: {} }, signal),
  upgrade: (hostname: string, transport: BackendTransport) => dial(location(hostname), transport, signal),
};

describe.each(['request', 'upgrade'] as const)('a %s', (way) => {
  it.each(['127.0.0.1', 'localhost', '0.0.0.0'])('to %s is not dialled if its address is not allowed', async (host) => {
    const judged: string[] = [];
    const allowsAddress = (address: string) => {
      judged.push(address);
      return false;
    };
    await expect(ways[way](host, { ...open, allowsAddress })).rejects.toThrow('address not allowed');
    expect([judged.length, connections]).toEqual([1, 0]);
  });

  it.each(['127.0.0.1', 'localhost'])('to %s is dialled if its addresses are allowed', async (host) => {
    const made = await ways[way](host, { ...open, allowsAddress: () => true });
    made.destroy();
    expect(connections).toBe(1);
  });
});
