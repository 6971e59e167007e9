import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from '@apiserver/proxy/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestExchange } from '../testing/index.js';
import { createTestServer } from '../testing/test-server.js';

const WATCH = '/api/v1/namespaces/n/configmaps?watch=1';
const api = createTestServer();
const object = api.storage.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'n' } });

/** A port that passes upgrades to the API, as the listener does. */
const server = createServer((_request, response) => void response.writeHead(500).end());
server.on('upgrade', async (request, socket, head) => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value ?? '']));
  const exchange = createTestExchange({ url: request.url ?? '/', headers, httpVersion: '1.1' });
  const response = await api.start(exchange);
  if (response.type !== 'upgrade') throw new Error(`responded with ${response.type}`);
  await response.run({ socket, head });
  exchange.finish();
});
let url: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function open(
  path: string,
  options: { origin?: string; headers?: Record<string, string>; protocols?: string[] },
) {
  const { protocols = [], ...rest } = options;
  const socket = new WebSocket(url + path, protocols, { origin: 'https://x', ...rest });
  await once(socket, 'open');
  return socket;
}

describe('a watch over a WebSocket', () => {
  it('sends each event as a text, and ends with the client', async () => {
    const socket = await open(WATCH, { protocols: ['base64.binary.k8s.io'] });
    await expect.poll(() => api.storage.watching.size).toBe(1);
    api.storage.emit('MODIFIED', object);
    const [data, isBinary] = await once(socket, 'message');
    expect([socket.protocol, isBinary, JSON.parse(String(data)).type, String(data).endsWith('\n')]).toEqual([
      'base64.binary.k8s.io',
      false,
      'MODIFIED',
      true,
    ]);
    socket.close();
    await expect.poll(() => api.storage.watching.size).toBe(0);
  });

  it('sends protobuf as bytes, without their length', async () => {
    const socket = await open(WATCH, { headers: { Accept: 'application/vnd.kubernetes.protobuf;stream=watch' } });
    await expect.poll(() => api.storage.watching.size).toBe(1);
    api.storage.emit('ADDED', object);
    const [data, isBinary] = await once(socket, 'message');
    expect([isBinary, Buffer.from(data).subarray(0, 7).toString('latin1')]).toEqual([true, '\n\x05ADDED']);
    socket.terminate();
    await expect.poll(() => api.storage.watching.size).toBe(0);
  });

  it('ends after timeoutSeconds', async () => {
    const socket = await open(`${WATCH}&timeoutSeconds=1`, {});
    const [code] = await once(socket, 'close');
    expect([code, api.storage.watching.size]).toEqual([1000, 0]);
  });

  it.each([
    ['nobody knows where the page is from', { origin: '' }, 'Unexpected server response: 403'],
    ['the page is from nowhere', { origin: 'null' }, 'Unexpected server response: 403'],
    ['its origin is no URL', { origin: 'https://[::1' }, 'Unexpected server response: 403'],
    ['several subprotocols are offered', { protocols: ['a', 'b'] }, 'Unexpected server response: 400'],
  ])(
    'is refused when %s',
    async (_case, { origin = 'https://x', protocols = [] }: { origin?: string; protocols?: string[] }, message) => {
      const socket = new WebSocket(url + WATCH, protocols, origin === '' ? {} : { origin });
      const [error] = await once(socket, 'error');
      expect([String(error), api.storage.watching.size]).toEqual([expect.stringContaining(message), 0]);
    },
  );
});
