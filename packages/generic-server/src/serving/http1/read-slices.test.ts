import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { ReadSlices } from './read-slices.js';

/** A connection that gives bytes when they are pushed, and counts how often it is asked for more. */
class TestSocket extends Duplex {
  asked = 0;
  readonly pieces: Buffer[] = [];

  override _read(): void {
    this.asked++;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

function sliced(slices: ReadSlices, seen: (piece: Buffer, socket: TestSocket) => void = () => {}): TestSocket {
  const socket = new TestSocket();
  slices.accept(socket);
  socket.on('data', (piece: Buffer) => {
    socket.pieces.push(piece);
    seen(piece, socket);
  });
  return socket;
}

it('gives small reads at once, and long ones in slices, in order and whole', async () => {
  const socket = sliced(new ReadSlices());
  const ended = new Promise((resolve) => socket.once('end', resolve));
  await new Promise(setImmediate);
  const reads = [100, 3_996, 10, 65_536, 10, 5_000].map((size) => randomBytes(size));
  for (const read of reads) socket.push(read);
  expect(socket.pieces.map(({ length }) => length)).toEqual([100, 3_996]);
  socket.push(null);
  await ended;
  expect(socket.bytes.equals(Buffer.concat(reads))).toBe(true);
  expect(Math.max(...socket.pieces.slice(2).map(({ length }) => length))).toBe(2_048);
});

it('asks for no more while slices wait, and then does', async () => {
  const socket = sliced(new ReadSlices());
  await new Promise(setImmediate);
  const before = socket.asked;
  expect(socket.push(randomBytes(65_536))).toBe(false);
  socket.read(0);
  expect(socket.asked).toBe(before);
  await expect.poll(() => socket.asked).toBeGreaterThan(before);
  expect(socket.bytes.length).toBe(65_536);
});

it('leaves the event loop between slices, and connections take turns', async () => {
  const order: TestSocket[] = [];
  const slices = new ReadSlices();
  const slow = (_: Buffer, socket: TestSocket) => {
    order.push(socket);
    for (const end = performance.now() + 3; performance.now() < end; );
  };
  const [first, second] = [sliced(slices, slow), sliced(slices, slow)];
  await new Promise(setImmediate);
  for (const socket of [first, second]) socket.push(randomBytes(8_192));
  const seen = new Set<number>();
  for (; order.length < 8; await new Promise(setImmediate)) seen.add(order.length);
  expect(order).toEqual([first, second, first, second, first, second, first, second]);
  expect(seen.size).toBeGreaterThan(4);
});

it('holds what a paused connection was given, and forgets a destroyed one', async () => {
  const slices = new ReadSlices();
  const [paused, destroyed] = [sliced(slices), sliced(slices)];
  await new Promise(setImmediate);
  paused.pause();
  for (const socket of [paused, destroyed]) socket.push(Buffer.alloc(20_000, 'x'));
  destroyed.destroy();
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  expect([paused.pieces.length, destroyed.pieces.length]).toEqual([0, 0]);
  paused.resume();
  await expect.poll(() => paused.bytes.length).toBe(20_000);
});
