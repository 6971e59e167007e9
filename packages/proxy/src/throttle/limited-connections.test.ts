import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type Gateway, startGateway } from '../testing/gateway.js';
import { SpdyServer } from '../testing/spdy-server.js';
import { translateStreams } from '../translation/translate-streams.js';
import { tunnelStreams } from '../translation/tunnel-streams.js';
import { proxyRequest } from '../upgrade-aware/proxy-request.js';

/** 100 bytes in each sample. */
const maxBytesPerSec = 1_000;
const SAMPLE = 100;
const SENT = Buffer.alloc(250, 'x');

const transport = { ca: '', certificate: '', key: '', verify: false, connectTimeout: 5_000 };
/** The bytes that have arrived at the backend and at the client, by stream. */
let arrived: Record<string, number>;

function count(name: string, bytes: Uint8Array): void {
  arrived[name] = (arrived[name] ?? 0) + bytes.length;
}

/** Sends bytes, and counts those that arrive. For commands, on each stream. */
const backend = createServer();
backend.on('upgrade', (message, socket: Duplex, head) => {
  socket.on('error', () => {});
  socket.write(
    'HTTP/1.1 101 OK\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
  );
  if (message.url !== '/command') {
    socket.on('data', (bytes: Buffer) => count('backend', bytes));
    // Bytes in one packet with the response head would pass at once, as upstream.
    socket.once('data', () => socket.write(SENT));
    return;
  }
  new SpdyServer(socket, head, ({ headers, stream }) => {
    const name = headers['streamtype'] ?? '';
    if (name === 'stdin') stream.on('data', (bytes: Buffer) => count('backend', bytes));
    else if (name !== 'error') stream.write(SENT);
  });
});

let gateway: Gateway;
beforeAll(async () => {
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const port = String((backend.address() as AddressInfo).port);
  gateway = await startGateway(async (exchange) => {
    const { path } = exchange.request;
    const location = { scheme: 'http', hostname: '127.0.0.1', port, path, rawQuery: '' } as const;
    const target = { location, transport, maxBytesPerSec };
    const streams = { stdin: true, stdout: true, stderr: true, tty: false };
    if (path === '/command') return translateStreams(exchange, { ...target, streams });
    if (path === '/tunnel') return tunnelStreams(exchange, target);
    return proxyRequest(exchange, { ...target, upgradeRequired: true });
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  backend.close();
});
beforeEach(() => {
  arrived = {};
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sends bytes to the backend of a path. Returns the function that disconnects. */
const clients: Record<string, () => Promise<() => void>> = {
  '/upgrade': async () => {
    const client = connect(gateway.port, '127.0.0.1');
    client.write('GET /upgrade HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    const [head] = (await once(client, 'data')) as [Buffer];
    count('client', head.subarray(head.indexOf('\r\n\r\n') + 4));
    client.on('data', (bytes: Buffer) => count('client', bytes));
    client.write(SENT);
    return () => client.destroy();
  },
  // ws refuses the slash in the subprotocol, so this client has frames of its own.
  '/tunnel': async () => {
    const client = connect(gateway.port, '127.0.0.1');
    const protocol = 'Sec-WebSocket-Protocol: SPDY/3.1+v4.channel.k8s.io\r\nSec-WebSocket-Version: 13';
    const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==`;
    client.write(`GET /tunnel HTTP/1.1\r\nHost: h\r\n${upgrade}\r\n${protocol}\r\n\r\n`);
    const [head] = (await once(client, 'data')) as [Buffer];
    const countPayloads = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 2 + (bytes[at + 1] ?? 0)) {
        count('client', bytes.subarray(at + 2, at + 2 + (bytes[at + 1] ?? 0)));
      }
    };
    countPayloads(head.subarray(head.indexOf('\r\n\r\n') + 4));
    client.on('data', countPayloads);
    // One binary frame of 250 bytes, with a mask of zeros.
    client.write(Buffer.concat([Buffer.from([0x82, 0xfe, 0, SENT.length, 0, 0, 0, 0]), SENT]));
    return () => client.destroy();
  },
  '/command': async () => {
    const client = new WebSocket(`ws://127.0.0.1:${gateway.port}/command`, ['v5.channel.k8s.io']);
    client.on('message', (bytes: Buffer) => count(bytes[0] === 1 ? 'client' : 'stderr', bytes.subarray(1)));
    await once(client, 'open');
    client.send(Buffer.concat([Buffer.from([0]), SENT]));
    return () => client.terminate();
  },
};

/** Milliseconds of real time: a thread inflates the headers of streams, which a busy machine runs late. */
const PATIENCE = 20_000;

/** Waits while the clock stands: `expect.poll` would move it. `Date` is real. */
async function reached(value: () => unknown, expected: unknown): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (Date.now() < end && !isDeepStrictEqual(value(), expected)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(value()).toEqual(expected);
}

it.each<[path: string, streams: readonly string[]]>([
  ['/upgrade', ['backend', 'client']],
  ['/tunnel', ['backend', 'client']],
  ['/command', ['backend', 'client', 'stderr']],
])('%s has the limit in each direction', async (path, streams) => {
  const before = gateway.finished.length;
  const disconnect = await (clients[path] as () => Promise<() => void>)();
  const of = (bytes: number) => Object.fromEntries(streams.map((name) => [name, bytes]));
  await reached(() => arrived, of(100));
  vi.advanceTimersByTime(SAMPLE);
  await reached(() => arrived, of(200));
  vi.advanceTimersByTime(SAMPLE);
  await reached(() => arrived, of(250));
  disconnect();
  await reached(() => gateway.finished.length, before + 1);
});
