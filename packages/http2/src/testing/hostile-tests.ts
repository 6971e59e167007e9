import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { FrameType, Setting } from '../frames/frame-types.js';
import { encodeHeaderBlock } from '../hpack/header-block.js';
import type { Http2Fixture } from './http2-fixture.js';
import {
  blockFrame,
  clientPreface,
  continuationFrame,
  dataFrame,
  getRequest,
  pingFrame,
  postRequest,
  rawFrame,
  requestFields,
  resetFrame,
  settingsFrame,
  windowUpdateFrame,
} from './raw-frames.js';
import { RawHttp2Client } from './raw-http2-client.js';
import type { RegisterTest, WithServer } from './server-test.js';

const mebibyte = 2 ** 20;
/** Time without progress after which a server counts as having stopped reading, in milliseconds. */
const STUCK = 1_000;
/** Time that other clients may wait for a response, in milliseconds. */
const OTHERS_WAIT = 2_000;

/** The effect of a hostile client. */
interface Flood {
  readonly ended: boolean;
  /** Growth of the memory in use, in bytes. */
  readonly memory: number;
  /** Longest time that another client waited for a response, in milliseconds. */
  readonly othersWaited: number;
}

/**
 * A server may end the connection of a hostile client or tolerate it. In either case, it continues to serve others
 * and does not exhaust its memory.
 */
export function hostileTests(register: RegisterTest, withServer: WithServer): void {
  floodTests(register, withServer);
  slownessTests(register, withServer);
  register(
    'survives connections that are cut off at any byte',
    withServer(async (_, server) => {
      const exchange = Buffer.concat([
        Buffer.from(clientPreface),
        settingsFrame([Setting.initialWindowSize, 10]),
        postRequest(1, '/echo'),
        dataFrame(1, 'body'),
        windowUpdateFrame(1, 3),
        dataFrame(1, 'end', true),
        getRequest(3, '/endless'),
      ]);
      for (let end = 0; end <= exchange.length; end++) {
        const socket = await server.connect();
        socket.on('error', () => {});
        await new Promise<void>((resolve) => socket.write(exchange.subarray(0, end), () => resolve()));
        if (end % 3 === 0) socket.end();
        else socket.destroy();
      }
      await nothingOpen(server);
    }),
    60_000,
  );
}

async function nothingOpen(server: Http2Fixture): Promise<void> {
  await expect.poll(() => server.openRequests?.() ?? 0).toBe(0);
}

function floodTests(register: RegisterTest, withServer: WithServer): void {
  const rounds = (count: number, make: (round: number) => Buffer) =>
    Array.from({ length: count / 100 }, (_, hundred) =>
      Buffer.concat(Array.from({ length: 100 }, (_, index) => make(100 * hundred + index))),
    );
  const block = encodeHeaderBlock(requestFields('/small'));
  const id = (round: number) => 2 * round + 1;
  const floods: readonly (readonly [what: string, must: 'end' | 'bear or end', parts: readonly Buffer[]])[] = [
    [
      'requests that are reset at once',
      'bear or end',
      rounds(10_000, (n) => Buffer.concat([getRequest(id(n), '/hang'), resetFrame(id(n))])),
    ],
    [
      'requests that have to be reset',
      'bear or end',
      rounds(10_000, (n) => Buffer.concat([getRequest(id(n), '/hang'), windowUpdateFrame(id(n), 0)])),
    ],
    ['requests that are malformed', 'bear or end', rounds(10_000, (n) => blockFrame(id(n), block.subarray(0, 8 + 5)))],
    ['requests whose responses nobody reads', 'bear or end', rounds(10_000, (n) => getRequest(id(n), '/small'))],
    [
      'empty continuations',
      'bear or end',
      [blockFrame(1, [], { endHeaders: false }), ...rounds(100_000, () => continuationFrame(1, [], false))],
    ],
    [
      'headers without end',
      'end',
      [
        blockFrame(1, block, { endHeaders: false }),
        ...rounds(2_000, () => continuationFrame(1, Buffer.alloc(16_000, 0x82), false)),
      ],
    ],
    ['pings', 'bear or end', rounds(200_000, (n) => pingFrame(`${n}`))],
    ['settings', 'bear or end', rounds(200_000, (n) => settingsFrame([Setting.initialWindowSize, n]))],
    [
      'sizes of the table',
      'bear or end',
      rounds(50_000, (n) => settingsFrame([Setting.headerTableSize, n % 2 === 0 ? 0 : 4096])),
    ],
    ['empty data', 'bear or end', [postRequest(1, '/echo'), ...rounds(200_000, () => dataFrame(1, ''))]],
    [
      'priorities',
      'bear or end',
      rounds(200_000, (n) => rawFrame(FrameType.priority, 0, id(n % 1_000), Buffer.alloc(5))),
    ],
    ['window updates of one byte', 'bear or end', rounds(200_000, () => windowUpdateFrame(0, 1))],
    ['frames that nobody knows', 'bear or end', rounds(200_000, () => rawFrame(0xbe, 0, 0, Buffer.alloc(10)))],
  ];
  for (const [what, must, parts] of floods) {
    for (const reads of [true, false]) {
      register(
        `${must === 'end' ? 'ends' : 'survives'} a flood of ${what}${reads ? '' : ', from a client that reads nothing'}`,
        withServer(async (_, server) => {
          const { ended, memory, othersWaited } = await flood(server, parts, reads);
          if (must === 'end') expect(ended).toBe(true);
          expect(othersWaited).toBeLessThan(OTHERS_WAIT);
          expect(memory).toBeLessThan(64 * mebibyte);
          await nothingOpen(server);
        }),
        60_000,
      );
    }
  }
}

/** Sends until everything is sent, the connection has ended, or the server stops reading. */
async function flood(server: Http2Fixture, parts: readonly Buffer[], reads: boolean): Promise<Flood> {
  const before = memoryInUse();
  using client = await new RawHttp2Client(await server.connect()).greet();
  if (!reads) client.socket.pause();
  using other = await new RawHttp2Client(await server.connect()).greet();
  let othersWaited = 0;
  let over = false;
  const others = (async () => {
    for (let stream = 1; !over; stream += 2) {
      const sent = performance.now();
      await other.send(getRequest(stream, '/small'), windowUpdateFrame(0, 100));
      await other.whole(stream);
      other.responses.delete(stream);
      othersWaited = Math.max(othersWaited, performance.now() - sent);
      await sleep(5);
    }
  })();
  for (const part of parts) {
    if (client.socket.destroyed) break;
    const sent = client.raw(part);
    if ((await Promise.race([sent, sleep(STUCK, 'stuck', { ref: false })])) === 'stuck') break;
  }
  const memory = memoryInUse() - before;
  client.socket.resume();
  await client.ping().catch(() => false);
  over = true;
  await others;
  return { ended: client.isOver, memory, othersWaited };
}

/** Memory of this process, in which most fixtures run their server. */
function memoryInUse(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function slownessTests(register: RegisterTest, withServer: WithServer): void {
  register(
    'makes no chunks for a client that does not take them',
    withServer(async (_, server) => {
      using client = await new RawHttp2Client(await server.connect()).greet([Setting.initialWindowSize, 0]);
      const before = memoryInUse();
      const ids = Array.from({ length: 90 }, (_, index) => 2 * index + 1);
      await client.send(...ids.map((id) => getRequest(id, '/large')));
      await client.until('heads', () => ids.every((id) => client.response(id).statuses.length > 0));
      await sleep(500);
      expect(ids.map((id) => client.response(id).bytes).filter((bytes) => bytes > 0)).toEqual([]);
      expect(memoryInUse() - before).toBeLessThan(100 * mebibyte);
      client.socket.destroy();
      await nothingOpen(server);
    }),
  );
  register(
    'makes no chunks for a client that gives credit and does not read',
    withServer(async (_, server) => {
      using client = await new RawHttp2Client(await server.connect()).greet([Setting.initialWindowSize, 2 ** 31 - 1]);
      const before = memoryInUse();
      client.socket.pause();
      await client.send(windowUpdateFrame(0, 2 ** 30));
      await client.send(...Array.from({ length: 90 }, (_, index) => getRequest(2 * index + 1, '/large')));
      await sleep(500);
      expect(memoryInUse() - before).toBeLessThan(100 * mebibyte);
      client.socket.destroy();
      await nothingOpen(server);
    }),
  );
  register(
    'lets go of everything when many clients are gone without a word',
    withServer(async (_, server) => {
      const clients = await Promise.all(
        Array.from({ length: 20 }, async () => new RawHttp2Client(await server.connect()).greet()),
      );
      for (const client of clients) {
        const paths = ['/endless', '/hang', '/large', '/echo'];
        await client.send(...paths.map((path, index) => postRequest(2 * index + 1, path)));
      }
      await Promise.all(clients.map((client) => client.ping()));
      for (const client of clients) client.socket.destroy();
      await nothingOpen(server);
    }),
  );
}
