import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { eventLoopTurns } from '@apiserver/apimachinery/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { ManualClock } from '@apiserver/registry-store/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type FakeKonnectivityServer,
  type ServedTunnel,
  startFakeKonnectivityServer,
} from '../../testing/fake-konnectivity-server.js';
import { newEgressSelector } from '../egress-selector.js';
import { decodePacket, encodePacket, type Packet } from './packet.js';

describe('a packet', () => {
  it.each<[type: Parameters<typeof encodePacket>[0], payload: Partial<Packet>, hex: string]>([
    ['DIAL_REQ', { protocol: 'tcp', address: 'a:1', random: 300n }, '0800120d0a037463701203613a3118ac02'],
    ['DIAL_RSP', { error: 'no', connectId: 2n, random: 1n }, '08011a080a026e6f10021801'],
    ['CLOSE_REQ', { connectId: 5n }, '08022a020805'],
    ['CLOSE_RSP', { error: 'x', connectId: 5n }, '080332050a01781005'],
    ['DATA', { connectId: 5n, data: Buffer.from('hi') }, '0804220608051a026869'],
    ['DIAL_CLS', { random: 2n ** 63n - 1n }, '08053a0a08ffffffffffffffff7f'],
    ['DRAIN', {}, '08064200'],
  ])('%s has the bytes of upstream', (type, payload, hex) => {
    expect(Buffer.from(encodePacket(type, payload)).toString('hex')).toBe(hex);
    expect(decodePacket(Buffer.from(hex, 'hex'))).toMatchObject({ type, ...payload });
  });

  it('of a later protocol is known as such, and unknown fields are skipped', () => {
    expect(decodePacket(Buffer.from('08634a0161', 'hex'))).toMatchObject({ type: 'Unknown', connectId: 0n });
    expect(() => decodePacket(Buffer.from('08', 'hex'))).toThrow();
  });
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'konnectivity-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let clock: ManualClock;
let registry: MetricsRegistry;
let server: FakeKonnectivityServer | undefined;
const backends: Server[] = [];
const sockets = new Set<Duplex>();
beforeEach(() => {
  clock = new ManualClock();
  registry = new MetricsRegistry({ withProcess: false });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const backend of backends.splice(0)) backend.close();
  await server?.[Symbol.asyncDispose]();
  server = undefined;
});

type Answer = (packet: Packet, tunnel: ServedTunnel) => boolean;

/** A dialer through a server, whose responses `answer` replaces. */
async function dialer(answer?: Answer) {
  const path = join(folder, 's.sock');
  server = await startFakeKonnectivityServer(path, answer);
  return dialThrough(path);
}

function dialThrough(path: string) {
  const connection = { proxyProtocol: 'GRPC', transport: { uds: { udsName: path } } };
  const select = newEgressSelector(
    { egressSelections: [{ name: 'cluster', connection }] },
    { metrics: registry, clock },
  );
  return async (port: number, signal?: AbortSignal) => {
    const socket = await (select('cluster') as NonNullable<ReturnType<typeof select>>)(
      { hostname: '127.0.0.1', port },
      signal,
    );
    sockets.add(socket.on('error', () => {}));
    return socket;
  };
}

async function listening(serve: (socket: Socket) => void): Promise<number> {
  const backend = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket);
  }).listen(0, '127.0.0.1');
  backends.push(backend);
  await once(backend, 'listening');
  return (backend.address() as AddressInfo).port;
}

async function metrics(): Promise<readonly string[]> {
  const { text } = await registry.expose();
  return text
    .split('\n')
    .filter((line) => /^(konnectivity|apiserver_egress_dialer_dial_(start|failure))/.test(line))
    .map((line) => line.replace('konnectivity_network_proxy_client_', ''));
}

const STARTED = 'apiserver_egress_dialer_dial_start_total{protocol="grpc",transport="uds"} 1';
const failures = (stage: string) =>
  `apiserver_egress_dialer_dial_failure_count{protocol="grpc",stage="${stage}",transport="uds"} 1`;
const packets = (segment: string, type: string, count: number) =>
  `stream_packets_total{packet_type="${type}",segment="${segment}"} ${count}`;

describe('a connection', () => {
  it('carries bytes both ways, and closes when the client does', async () => {
    const dial = await dialer();
    const port = await listening((socket) => socket.pipe(socket));
    const socket = await dial(port);
    const sent = Buffer.alloc(100_000, 'abc');
    socket.write(sent);
    let got = Buffer.alloc(0);
    while (got.length < sent.length) got = Buffer.concat([got, (await once(socket, 'data'))[0]]);
    expect(got.equals(sent)).toBe(true);
    socket.destroy();
    await expect.poll(() => server?.sessions).toBe(0);
    const requests = server?.received.filter(({ type }) => type !== 'DATA').map(({ type, address }) => [type, address]);
    expect(requests).toEqual([
      ['DIAL_REQ', `127.0.0.1:${port}`],
      ['CLOSE_REQ', ''],
    ]);
    expect(server?.received.filter(({ data }) => data.length > 32 * 1024)).toEqual([]);
    const seen = (await metrics()).filter((line) => !line.includes('packet_type="DATA",segment="to_client"'));
    expect(seen.toSorted()).toEqual(
      [
        STARTED,
        ...['created', 'dialing', 'ok'].map((status) => `client_connections{status="${status}"} 0`),
        packets('from_client', 'DIAL_REQ', 1),
        packets('from_client', 'DATA', 4),
        packets('from_client', 'CLOSE_REQ', 1),
        packets('to_client', 'DIAL_RSP', 1),
        packets('to_client', 'CLOSE_RSP', 1),
      ].toSorted(),
    );
  });

  it('ends when the backend does, after all of its bytes', async () => {
    const dial = await dialer();
    const socket = await dial(await listening((backend) => backend.end('the end')));
    expect(Buffer.concat(await Array.fromAsync<Buffer>(socket)).toString()).toBe('the end');
    await expect.poll(() => [server?.sessions, socket.destroyed]).toEqual([0, true]);
    expect(server?.received.map(({ type }) => type)).toEqual(['DIAL_REQ']);
  });

  it.each<[name: string, act: (tunnel: ServedTunnel) => void, error: string]>([
    [
      'the tunnel',
      ({ end }) => end(14),
      'stream_errors_total{code="Unavailable",packet_type="Unknown",segment="to_client"} 1',
    ],
    [
      'the connection',
      ({ stream }) => stream.session?.destroy(),
      'code="Unavailable",packet_type="Unknown",segment="to_client"} 1',
    ],
  ])('ends with %s', async (_name, act, error) => {
    let tunnel: ServedTunnel | undefined;
    const dial = await dialer((_packet, served) => {
      tunnel = served;
      return false;
    });
    const socket = await dial(await listening(() => {}));
    const closed = once(socket.resume(), 'close');
    act(tunnel as ServedTunnel);
    await closed;
    expect((await metrics()).join('\n')).toContain(error);
  });

  it('waits for the client, and is lost after 10 seconds', async () => {
    const dial = await dialer();
    const port = await listening((backend) => {
      const fill = () => {
        while (backend.write(Buffer.alloc(65_536)));
      };
      backend.on('drain', fill);
      fill();
    });
    const socket = await dial(port);
    await expect.poll(() => socket.readableLength).toBeGreaterThan(0);
    clock.advance(9_999);
    expect(socket.destroyed).toBe(false);
    expect(socket.readableLength).toBeLessThan(200_000);
    clock.advance(1);
    expect([socket.destroyed, socket.errored?.message]).toEqual([true, 'the reader of the tunnel is too slow']);
  });

  it('closes without a confirmation after 10 seconds', async () => {
    const dial = await dialer(({ type }) => type === 'CLOSE_REQ');
    const socket = await dial(await listening(() => {}));
    socket.destroy();
    await expect.poll(() => server?.received.at(-1)?.type).toBe('CLOSE_REQ');
    expect(server?.sessions).toBe(1);
    clock.advance(10_000);
    await expect.poll(() => server?.sessions).toBe(0);
    expect(await metrics()).toContain('client_connections{status="ok"} 0');
  });

  it('refuses the bytes of other connections', async () => {
    const dial = await dialer(({ type, data }, { send }) => {
      if (type !== 'DATA') return false;
      send('DATA', { connectId: 0n, data });
      send('DATA', { connectId: 99n, data });
      send('DATA', { connectId: 7n, data });
      return true;
    });
    const socket = await dial(await listening(() => {}));
    socket.write('x');
    expect(String((await once(socket, 'data'))[0])).toBe('x');
    await expect.poll(() => server?.received.at(-1)).toMatchObject({ type: 'CLOSE_REQ', connectId: 99n });
  });
});

describe('a dial', () => {
  it.each<[name: string, answer: (packet: Packet, tunnel: ServedTunnel) => void, message: string, reason: string]>([
    ['an error', ({ random }, { send }) => send('DIAL_RSP', { random, error: 'no route' }), 'no route', 'endpoint'],
    ['DIAL_CLS', ({ random }, { send }) => send('DIAL_CLS', { random }), 'dial closed', 'dialclosed'],
    [
      'another dial',
      ({ random }, { send }) => send('DIAL_RSP', { random: random + 1n }),
      ...(['tunnel closed', 'tunnelclosed'] as const),
    ],
    ['the end', (_packet, { end }) => end(0), 'tunnel closed', 'tunnelclosed'],
    ['nonsense', (_packet, { stream }) => void stream.write('nonsense'), 'tunnel closed', 'tunnelclosed'],
  ])('answered by %s fails', async (_name, answer, message, reason) => {
    const dial = await dialer((packet, tunnel) => {
      answer(packet, tunnel);
      return true;
    });
    await expect(dial(1)).rejects.toThrow(new RegExp(`^${message}$`));
    expect(await metrics()).toEqual(
      expect.arrayContaining([STARTED, failures('proxy'), `dial_failure_total{reason="${reason}"} 1`]),
    );
    await expect.poll(() => server?.sessions).toBe(0);
  });

  it.each<[string, (giveUp: AbortController) => void, message: string, reason: string]>([
    ['after 30 seconds', () => clock.advance(30_000), 'dial timeout, backstop', 'timeout'],
    ['with its request', (giveUp) => giveUp.abort(), 'dial timeout, context', 'context'],
  ])('without an answer is given up %s', async (_name, act, message, reason) => {
    const giveUp = new AbortController();
    const dial = await dialer(() => true);
    const dialled = dial(1, giveUp.signal);
    dialled.catch(() => {});
    await expect.poll(() => server?.received.length).toBe(1);
    act(giveUp);
    await expect(dialled).rejects.toThrow(message);
    await expect.poll(() => server?.received.at(-1)).toMatchObject({ type: 'DIAL_CLS' });
    expect(server?.received.at(-1)?.random).toBe(server?.received[0]?.random);
    expect(await metrics()).toContain(`dial_failure_total{reason="${reason}"} 1`);
    await expect.poll(() => server?.sessions).toBe(0);
  });

  it('waits for 30 seconds for a server, and then names the failure', async () => {
    const path = join(folder, 'none.sock');
    const dialled = dialThrough(path)(1);
    let failure = '';
    dialled.catch((error: Error) => {
      failure = error.message;
    });
    for (let second = 0; second < 30; second++) {
      expect(failure).toBe('');
      await eventLoopTurns();
      clock.advance(1_000);
    }
    await expect
      .poll(() => failure)
      .toBe(
        `context deadline exceeded: connection error: desc = "transport: Error while dialing: dial unix ${path}: connect: no such file or directory"`,
      );
    expect(await metrics()).toEqual([failures('connect'), STARTED]);
  });

  it.each(['silent', 'missing'])('stops waiting for a %s server when its request is given up', async (name) => {
    const giveUp = new AbortController();
    const connected = Promise.withResolvers<void>();
    const silent = createServer(() => connected.resolve()).listen(join(folder, 'silent.sock'));
    backends.push(silent);
    await once(silent, 'listening');
    const dialled = dialThrough(join(folder, `${name}.sock`))(1, giveUp.signal);
    dialled.catch(() => {});
    if (name === 'silent') await connected.promise;
    giveUp.abort(new Error('the request has ended'));
    await expect(dialled).rejects.toThrow('the request has ended');
    await expect.poll(() => new Promise((resolve) => silent.getConnections((_, count) => resolve(count)))).toBe(0);
  });

  it('uses a server that starts late', async () => {
    const path = join(folder, 'late.sock');
    const dialled = dialThrough(path)(await listening((socket) => socket.end('here')));
    await eventLoopTurns();
    server = await startFakeKonnectivityServer(path);
    clock.advance(1_000);
    expect(Buffer.concat(await Array.fromAsync<Buffer>(await dialled)).toString()).toBe('here');
  });
});
