import { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiResponse, Exchange, ResponseWriter } from '@apiserver/apiserver-contracts';
import { describe, expect, it } from 'vitest';
import { type WiredClient, wiredServer } from '../testing/wired-server.js';
import { Http2Transport } from './http2/http2-transport.js';
import { NodeHttp2Transport } from './node-http2/node-http2-transport.js';
import type { Http2TransportClass } from './secure-listener.js';

const WRITES = 20;
const protocols = ['HTTP/1.1', 'HTTP/2'] as const;

/** A server whose writes are events for all watchers. It records the order of written events and responses. */
function store(eventBytes = 10, http2Transport?: Http2TransportClass) {
  const watchers: ResponseWriter[] = [];
  const written: string[] = [];
  const tails = new Map<string, string>();
  let commit: Promise<void> | undefined;
  let number = 0;
  const note = (name: string, text: string) => {
    const seen = (tails.get(name) ?? '') + text;
    const marks = [...seen.matchAll(/<(event|response) (\d+)>/g)];
    for (const [, what, which] of marks) written.push(`${what} ${which}`);
    const end = marks.at(-1);
    tails.set(name, end === undefined ? seen : seen.slice(end.index + end[0].length));
  };
  const write = async (): Promise<ApiResponse> => {
    // The writes of one turn share a commit, as in the store.
    commit ??= nextTurn().then(() => {
      commit = undefined;
    });
    await commit;
    const mine = number++;
    for (const watcher of watchers) watcher.write(Buffer.from(`${'.'.repeat(eventBytes)}<event ${mine}>`));
    await Promise.resolve();
    return { type: 'bytes', status: 200, body: Buffer.from(`<response ${mine}>`) };
  };
  const handler = ({ request }: Exchange): Promise<ApiResponse> | ApiResponse => {
    if (request.method === 'POST') return write();
    if (request.path !== '/watch') return { type: 'bytes', status: 200, body: Buffer.from('read') };
    const run = (writer: ResponseWriter) => {
      watchers.push(writer);
      return new Promise<void>(() => {});
    };
    return { type: 'stream', status: 200, run };
  };
  const { connect } = wiredServer(handler, note, http2Transport);
  const watch = async (client: WiredClient) => {
    const before = watchers.length;
    client.send('GET', '/watch');
    await expect.poll(() => watchers.length, { interval: 1 }).toBe(before + 1);
    return client;
  };
  const settled = (count: number) => expect.poll(() => written.length, { interval: 1 }).toBe(count);
  return { connect, watch, written, settled };
}

/** The responses that were written before one of their events. */
function early(written: readonly string[], watchers: number): readonly string[] {
  return written.filter((each, at) => {
    const [what, which] = each.split(' ');
    if (what !== 'response') return false;
    return written.slice(0, at).filter((before) => before === `event ${which}`).length < watchers;
  });
}

/**
 * `node:http2` writes to its sockets when a turn of the event loop ends, connection by connection in an order of its own. There
 * events race with responses, as upstream.
 */
describe.each<[string, Http2TransportClass]>([
  ['@apiserver/http2', Http2Transport],
  ['node:http2', NodeHttp2Transport],
])('events (HTTP/2 by %s)', (_, http2Transport) => {
  const isNode = http2Transport === NodeHttp2Transport;
  describe.each(protocols)('at a watcher over %s', (watching) => {
    describe.each(protocols)('of a writer over %s', (writing) => {
      it.skipIf(isNode && watching === 'HTTP/2').each([
        ['alone', 1, 0],
        ['whose connection has just had a response', 1, 1],
        ['beside other watchers', 3, 1],
      ])('are written before its responses: one %s', async (_how, watchers, reads) => {
        const { connect, watch, written, settled } = store(10, http2Transport);
        const writer = connect[writing]('writer');
        for (let index = 0; index < watchers; index++) await watch(connect[watching](`watcher ${index}`));
        for (let index = 0; index < WRITES; index++) {
          writer.send('POST', '/write');
          for (let read = 0; read < reads && writing === 'HTTP/2'; read++) writer.send('GET', '/read');
          await settled((index + 1) * (watchers + 1));
        }
        expect(early(written, watchers)).toEqual([]);
      });
    });

    it.skipIf(isNode && watching === 'HTTP/2')('of many writers are written before each response', async () => {
      const { connect, watch, written, settled } = store(10, http2Transport);
      await watch(connect[watching]('watcher'));
      const writers = protocols.flatMap((protocol) => [1, 2, 3].map((n) => connect[protocol](`${protocol} ${n}`)));
      for (let round = 1; round <= 5; round++) {
        for (const writer of writers) writer.send('POST', '/write');
        await settled(round * 2 * writers.length);
      }
      expect(early(written, 1)).toEqual([]);
    });
  });

  it.skipIf(isNode).each([10, 16_384, 40_000])(
    'of %d bytes go before a response on their own connection',
    async (eventBytes) => {
      const { connect, watch, written, settled } = store(eventBytes, http2Transport);
      const client = await watch(connect['HTTP/2']('both'));
      client.send('POST', '/write');
      await settled(2);
      expect(written).toEqual(['event 0', 'response 0']);
    },
  );
});
