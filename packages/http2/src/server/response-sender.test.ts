import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BufferPool, LARGE_BUFFER } from './buffer-pool.js';
import { FlushScheduler } from './flush-scheduler.js';
import type { RequestHead } from './request-head.js';
import { ResponseSender } from './response-sender.js';
import { ServerStream } from './server-stream.js';

/** A sender whose socket accepts everything, with the sizes of the buffers of each write. */
function sender() {
  const writes: number[][] = [];
  const socket = new Duplex({
    highWaterMark: Number.MAX_SAFE_INTEGER,
    read() {},
    write(chunk: Buffer, _encoding, done) {
      writes.push([chunk.length]);
      setImmediate(done);
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => chunk.length));
      setImmediate(done);
    },
  });
  const scheduler = new FlushScheduler();
  const member = { waitingBytes: 0, flush: () => sender.flush(), resume() {}, readAgain() {} };
  const owner = { responded: (stream: ServerStream) => void stream.close(), written() {} };
  const sender: ResponseSender = new ResponseSender(socket, { scheduler, pool: new BufferPool(), member, owner });
  return { sender, writes };
}

function stream(sender: ResponseSender, id: number): ServerStream {
  const owner = {
    respond() {},
    wake: (stream: ServerStream) => sender.wake(stream),
    abandon() {},
    consumed() {},
    queued() {},
    goAway() {},
  };
  return new ServerStream(id, {} as RequestHead, owner, { send: 2 ** 30, receive: 0, remoteEnded: true });
}

describe('ResponseSender', () => {
  it.each([
    ['one large response', 1, 2_000_000],
    ['many that are large together', 80, 25_000],
  ])('writes %s to the socket in large writes of one buffer each', async (_case, streams, size) => {
    const { sender: sending, writes } = sender();
    sending.enlarge(2 ** 30);
    const responses = Array.from({ length: streams }, (_, index) => stream(sending, 2 * index + 1));
    for (const response of responses) {
      response.write(Buffer.alloc(size));
      response.end();
    }
    await expect.poll(() => responses.every(({ closed }) => closed) && sending.isIdle).toBe(true);
    expect(writes.filter((buffers) => buffers.length > 1)).toEqual([]);
    const full = writes.slice(0, -1).map(([bytes = 0]) => bytes);
    expect(Math.max(...full)).toBeLessThanOrEqual(LARGE_BUFFER);
    expect(Math.min(...full)).toBeGreaterThan(LARGE_BUFFER - 2 * 16_393);
  });
});
