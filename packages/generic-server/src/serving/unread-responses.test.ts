import { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { resetFrame, settingsFrame, windowUpdateFrame } from '@apiserver/http2/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wiredServer } from '../testing/wired-server.js';
import { Http2Transport } from './http2/http2-transport.js';
import { NodeHttp2Transport } from './node-http2/node-http2-transport.js';
import type { Http2TransportClass } from './secure-listener.js';

const KIB = 1024;
const MIB = 1024 * KIB;
/** SETTINGS_INITIAL_WINDOW_SIZE */
const WINDOW = 4;

/** Monotonic milliseconds. */
let now = 0;

beforeEach(() => {
  now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => void vi.restoreAllMocks());

async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

/** A server whose responses have a given size, and the number of its requests. */
function serverOf(
  bytes: number,
  { shape = 'bytes', http2Transport }: { shape?: 'bytes' | 'patient'; http2Transport?: Http2TransportClass } = {},
) {
  const exchanges: Exchange[] = [];
  let written = '';
  let writes = 0;
  const body = Buffer.alloc(bytes, 'x');
  const server = wiredServer(
    (exchange): ApiResponse => {
      exchanges.push(exchange);
      if (shape === 'bytes') return { type: 'bytes', status: 200, body };
      return { type: 'chunks', status: 200, chunks: [body], isPatient: true };
    },
    (_name, text) => {
      written += text;
      writes++;
    },
    http2Transport,
  );
  return { ...server, exchanges, written: () => written, writes: () => writes };
}

type Patience = ['bytes' | 'patient', readonly number[], number | undefined];
const readsBytes: readonly Patience[] = [
  ['bytes', [20], 50],
  ['bytes', [20, 40, 60, 80], undefined],
];

/** RST_STREAM of stream 1 with CANCEL. */
const cancelled = resetFrame(1, 8).toString('latin1');

describe.each<[string, Http2TransportClass]>([
  ['@apiserver/http2', Http2Transport],
  ['node:http2', NodeHttp2Transport],
])('a response on HTTP/2 (%s) that its client gives no window for', (_, http2Transport) => {
  // Node does not report bytes within a write.
  const seesBytes = http2Transport === Http2Transport;
  it.each<Patience>([['bytes', [], 30], ['patient', [], undefined], ...(seesBytes ? readsBytes : [])])(
    '(%s) is broken off 30 s after the last byte, read after %j s',
    async (shape, readAt, expected) => {
      const { connect, http2, written } = serverOf(10, { shape, http2Transport });
      const client = connect['HTTP/2']('client');
      client.wire.push(settingsFrame([WINDOW, 0]));
      client.send('GET', '/');
      await turns();
      let brokenOff: number | undefined;
      for (let second = 0; second <= 100 && brokenOff === undefined; second += 5) {
        now = 1_000 + second * 1_000;
        if (readAt.includes(second)) client.wire.push(windowUpdateFrame(1, 1));
        await turns();
        http2.sweep(now, 90_000);
        await turns();
        if (written().includes(cancelled)) brokenOff = second;
      }
      expect(brokenOff).toBe(expected);
    },
  );

  it.each<[string, readonly number[], number]>([
    ['nothing', [], 30],
    ['a little', [20, 45, 70], 100],
  ])('loses its connection 30 s after its socket took %s of a write', async (_what, takenAt, expected) => {
    const { connect, http2 } = serverOf(100_000);
    const { wire, send } = connect['HTTP/2']('client');
    await turns();
    const handle = { writeQueueSize: 0 };
    Object.assign(wire, {
      _handle: handle,
      // Never done: the write is under way until the end.
      _write: () => {
        handle.writeQueueSize = 66_000;
      },
    });
    send('GET', '/');
    await turns();
    let cutAt: number | undefined;
    for (let second = 0; second <= 150 && cutAt === undefined; second += 5) {
      now = 1_000 + second * 1_000;
      if (takenAt.includes(second)) handle.writeQueueSize -= 1;
      http2.sweep(now, 90_000);
      await turns();
      if (wire.destroyed) cutAt = second;
    }
    expect(cutAt).toBe(expected);
  });

  it.each([
    [31, 30],
    [33, 5],
  ])('and %d MiB of which wait is broken off after %d s', async (count, expected) => {
    const { connect, context, http2 } = serverOf(MIB, { http2Transport });
    const client = connect['HTTP/2']('client');
    client.wire.push(settingsFrame([WINDOW, 0]));
    for (let index = 0; index < count; index++) client.send('GET', '/');
    await turns(20);
    const waiting = [context.unread.bytes > count * MIB];
    for (const second of [expected - 1, expected]) {
      now = 1_000 + second * 1_000;
      http2.sweep(now, 90_000);
      waiting.push(context.unread.bytes > count * MIB);
    }
    expect([waiting, client.wire.destroyed]).toEqual([[true, true, false], false]);
  });

  it('loses its connection when all that waits is too much', async () => {
    const { connect, context } = serverOf(MIB, { http2Transport });
    const clients = Array.from({ length: 10 }, (_, index) => connect['HTTP/2'](`client ${index}`));
    for (const client of clients) {
      client.wire.push(settingsFrame([WINDOW, 0]));
      for (let index = 0; index < 90; index++) client.send('GET', '/');
    }
    await turns(100);
    expect(context.unread.bytes).toBeLessThanOrEqual(256 * MIB);
    const gone = clients.filter(({ wire }) => wire.destroyed).length;
    expect([gone > 0, gone < 10]).toEqual([true, true]);
    for (const { wire } of clients) wire.destroy();
    await turns();
    expect(context.unread.bytes).toBe(0);
  });
});

/** The default of HTTP/2. */
const CONNECTION_WINDOW = 65_535;

describe('a connection whose window one response uses up', () => {
  const logs = Buffer.alloc(100_000, 'l');
  const list = Buffer.alloc(1_000, 'x');

  /** A client of one connection that has read the head of a log and nothing else; and a list that waits for it. */
  async function starving(paused: 'log' | 'list' = 'log') {
    let written = '';
    const server = wiredServer(
      ({ request }): ApiResponse => {
        if (request.path === '/list') return { type: 'bytes', status: 200, body: list };
        if (paused === 'list') return { type: 'bytes', status: 200, body: logs };
        return { type: 'chunks', status: 200, chunks: [logs], isPatient: true };
      },
      (_name, text) => {
        written += text;
      },
    );
    const { wire, send } = server.connect['HTTP/2']('client');
    // Each stream alone has more than the connection.
    wire.push(settingsFrame([WINDOW, MIB]));
    send('GET', '/paused');
    await turns();
    const sweeps = async (from: number, to: number): Promise<void> => {
      for (let second = from; second <= to; second += 5) {
        now = 1_000 + second * 1_000;
        server.http2.sweep(now, 90_000);
        await turns();
      }
    };
    const resets = () => [1, 3, 5].filter((id) => written.includes(resetFrame(id, 8).toString('latin1')));
    return { ...server, wire, send, sweeps, resets, written: () => written };
  }

  it('is given back by the paused log, and not by those that wait for it', async () => {
    const { wire, send, sweeps, resets, written } = await starving();
    await sweeps(0, 100);
    expect(resets()).toEqual([]);
    send('GET', '/list');
    await turns();
    await sweeps(100, 125);
    expect(resets()).toEqual([]);
    await sweeps(130, 130);
    expect(resets()).toEqual([1]);
    wire.push(windowUpdateFrame(0, CONNECTION_WINDOW));
    await turns();
    await sweeps(135, 200);
    expect([resets(), written().endsWith('x'.repeat(1_000))]).toEqual([[1], true]);
  });

  it('is waited for as long as the client gives any of it', async () => {
    const { wire, send, sweeps, resets, written } = await starving();
    send('GET', '/list');
    await turns();
    for (let second = 0; second < 500; second += 25) {
      await sweeps(second, second + 20);
      wire.push(windowUpdateFrame(0, 10));
      await turns();
    }
    expect(resets()).toEqual([]);
    wire.push(windowUpdateFrame(0, CONNECTION_WINDOW));
    await turns();
    expect(written()).toContain('x'.repeat(300));
  });

  it('is released by waiting servers if no process has it', async () => {
    const { send, sweeps, resets } = await starving('list');
    send('GET', '/list');
    await turns();
    await sweeps(0, 30);
    expect(resets()).toEqual([1]);
    await sweeps(35, 55);
    expect(resets()).toEqual([1]);
    await sweeps(60, 60);
    expect(resets()).toEqual([1, 3]);
  });

  it('leaves a log alone without waiters', async () => {
    const { send, sweeps, resets } = await starving();
    send('GET', '/paused');
    await turns();
    await sweeps(0, 300);
    expect(resets()).toEqual([]);
  });
});

describe('too much for all clients together', () => {
  it('keeps the connection of a client that reads, though one of its streams is stalled', async () => {
    const { connect, context, http2 } = serverOf(MIB);
    const reading = connect['HTTP/2']('reading');
    reading.wire.push(settingsFrame([WINDOW, 0]));
    for (let index = 0; index < 100; index++) reading.send('GET', '/');
    const idle = connect['HTTP/2']('idle');
    idle.wire.push(settingsFrame([WINDOW, 0]));
    for (let index = 0; index < 90; index++) idle.send('GET', '/');
    await turns(20);
    for (let second = 1; second <= 4; second++) {
      now = 1_000 + second * 1_000;
      reading.wire.push(windowUpdateFrame(1, 1));
      await turns();
      http2.sweep(now, 90_000);
    }
    const more = connect['HTTP/2']('more');
    more.wire.push(settingsFrame([WINDOW, 0]));
    for (let index = 0; index < 90; index++) more.send('GET', '/');
    await turns(20);
    expect(context.unread.bytes).toBeLessThan(256 * MIB);
    expect([reading, idle, more].map(({ wire }) => wire.destroyed)).toEqual([false, true, false]);
    for (const { wire } of [reading, idle, more]) wire.destroy();
  });
});

describe('a large response on HTTP/1', () => {
  it('counts until it is read or its client goes, and arrives whole', async () => {
    const { connect, context, written, writes } = serverOf(MIB);
    const client = connect['HTTP/1.1']('client');
    client.send('GET', '/');
    const counts: number[] = [];
    for (let turn = 0; turn < 100 && !written().endsWith('x'.repeat(MIB)); turn++) {
      counts.push(context.unread.bytes);
      await nextTurn();
    }
    expect(written().endsWith(`\r\n\r\n${'x'.repeat(MIB)}`)).toBe(true);
    expect([counts.includes(MIB), writes() >= 16]).toEqual([true, true]);
    expect(counts.filter((bytes) => bytes > 0 && bytes < MIB).length).toBeGreaterThan(10);
    await turns();
    expect(context.unread.bytes).toBe(0);
    client.send('GET', '/');
    await turns(2);
    expect(context.unread.bytes).toBeGreaterThan(0);
    client.wire.destroy();
    await turns();
    expect(context.unread.bytes).toBe(0);
  });

  it('loses its connection when all that waits is too much; no more of them than it takes', async () => {
    const { connect, context } = serverOf(60 * MIB);
    const clients = Array.from({ length: 5 }, (_, index) => connect['HTTP/1.1'](`client ${index}`));
    for (const client of clients) client.send('GET', '/');
    await turns(10);
    expect(clients.filter(({ wire }) => wire.destroyed)).toHaveLength(1);
    for (const { wire } of clients) wire.destroy();
    await turns();
    expect(context.unread.bytes).toBe(0);
  });
});
