import { Duplex } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { FrameType } from '../frames/frame-types.js';
import { BufferPool } from './buffer-pool.js';
import { endSocket, GOAWAY_MS, UNREAD_MS } from './end-socket.js';
import { FlushScheduler } from './flush-scheduler.js';
import { ResponseSender } from './response-sender.js';

afterEach(() => vi.useRealTimers());

/** A socket whose peer accepts written data when `take` is called. */
function slowSocket() {
  const written = Promise.withResolvers<() => void>();
  const socket = new Duplex({
    read() {},
    write: (_chunk, _encoding, callback) => written.resolve(() => callback()),
  });
  const sender = new ResponseSender(socket, {
    scheduler: new FlushScheduler(),
    pool: new BufferPool(),
    member: { waitingBytes: 0, flush() {}, resume() {}, readAgain() {} },
    owner: { responded() {}, written() {} },
  });
  sender.output.frame(FrameType.ping, 0, 0, Buffer.alloc(8));
  return { socket, sender, take: async () => (await written.promise)() };
}

it('waits for a slow reader of the last response, then for the client to close', async () => {
  vi.useFakeTimers();
  const { socket, sender, take } = slowSocket();
  endSocket(socket, sender, UNREAD_MS);
  await vi.advanceTimersByTimeAsync(UNREAD_MS - 1);
  expect(socket.destroyed).toBe(false);
  await take();
  await vi.advanceTimersByTimeAsync(GOAWAY_MS - 1);
  expect(socket.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect([socket.destroyed, socket.writableFinished]).toEqual([true, true]);
});

it('does not wait for a client that never reads it', async () => {
  vi.useFakeTimers();
  const { socket, sender } = slowSocket();
  endSocket(socket, sender, GOAWAY_MS);
  await vi.advanceTimersByTimeAsync(GOAWAY_MS);
  expect(socket.destroyed).toBe(true);
  await vi.advanceTimersByTimeAsync(GOAWAY_MS);
  expect(vi.getTimerCount()).toBe(0);
});
