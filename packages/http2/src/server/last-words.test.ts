import { Duplex } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { FrameType } from '../frames/frame-types.js';
import { AnswerSender } from './answer-sender.js';
import { endSocket, LEAVE_MS, UNREAD_MS } from './last-words.js';
import { PiecePool } from './output-buffer.js';
import { Turn } from './turn.js';

afterEach(() => vi.useRealTimers());

/** A socket whose other side takes what is written when `take` is called. */
function slowSocket() {
  const written = Promise.withResolvers<() => void>();
  const socket = new Duplex({
    read() {},
    write: (_chunk, _encoding, callback) => written.resolve(() => callback()),
  });
  const sender = new AnswerSender(socket, {
    turn: new Turn(),
    pool: new PiecePool(),
    member: { flush() {}, resume() {} },
    owner: { answered() {}, written() {} },
  });
  sender.output.frame(FrameType.ping, 0, 0, Buffer.alloc(8));
  return { socket, sender, take: async () => (await written.promise)() };
}

it('waits for who is slow to take the last answer, and then for the client to close', async () => {
  vi.useFakeTimers();
  const { socket, sender, take } = slowSocket();
  endSocket(socket, sender, UNREAD_MS);
  await vi.advanceTimersByTimeAsync(UNREAD_MS - 1);
  expect(socket.destroyed).toBe(false);
  await take();
  await vi.advanceTimersByTimeAsync(LEAVE_MS - 1);
  expect(socket.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect([socket.destroyed, socket.writableFinished]).toEqual([true, true]);
});

it('does not wait for who never takes it', async () => {
  vi.useFakeTimers();
  const { socket, sender } = slowSocket();
  endSocket(socket, sender, LEAVE_MS);
  await vi.advanceTimersByTimeAsync(LEAVE_MS);
  expect(socket.destroyed).toBe(true);
  await vi.advanceTimersByTimeAsync(LEAVE_MS);
  expect(vi.getTimerCount()).toBe(0);
});
