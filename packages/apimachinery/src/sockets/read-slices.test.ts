import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { ReadSlices } from './read-slices.js';

afterEach(() => vi.restoreAllMocks());

/** First byte of a piece that is parsed slowly. */
const SLOW = 1;

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

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
  const reads = [100, 2_048, 65_536, 10, 5_000].map((size) => randomBytes(size));
  for (const read of reads) socket.push(read);
  expect(socket.pieces.map(({ length }) => length)).toEqual([100, 2_048]);
  socket.push(null);
  await ended;
  expect(socket.bytes.equals(Buffer.concat(reads))).toBe(true);
});

it('gives larger slices while they are parsed fast, and small ones after a slow one', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const socket = sliced(new ReadSlices(), (piece) => {
    if (piece[0] === SLOW) now += 1;
  });
  await new Promise(setImmediate);
  socket.push(Buffer.alloc(78 * 1_024));
  await expect.poll(() => socket.bytes.length).toBe(78 * 1_024);
  expect(Math.max(...socket.pieces.map(({ length }) => length))).toBe(16 * 1_024);
  const { length } = socket.pieces;
  socket.push(Buffer.alloc(34 * 1_024, SLOW));
  await expect.poll(() => socket.bytes.length).toBe(112 * 1_024);
  expect(socket.pieces.slice(length).map((piece) => piece.length / 1_024)).toEqual([16, 8, 4, 2, 2, 2]);
});

it('gives what many connections send at the same moment in several turns', async () => {
  const slices = new ReadSlices();
  const all = Array.from({ length: 100 }, () => sliced(slices, () => work(0.5)));
  await new Promise(setImmediate);
  for (const socket of all) socket.push(Buffer.alloc(1_000));
  const given = () => all.filter(({ pieces }) => pieces.length > 0).length;
  expect(given()).toBeLessThan(10);
  const seen = new Set<number>();
  for (; given() < all.length; await new Promise(setImmediate)) seen.add(given());
  expect(seen.size).toBeGreaterThan(10);
});

it.each<[string, (socket: TestSocket, slices: ReadSlices) => void]>([
  ['paused ones', (socket, slices) => slices.pause(socket)],
  ['those of another protocol', (socket, slices) => slices.release(socket)],
  ['those with bytes that wait', (socket) => void socket.push(Buffer.alloc(3_000))],
])('ends many connections that end at the same moment in several turns: %s', async (_, prepare) => {
  const slices = new ReadSlices();
  let ended = 0;
  const all = Array.from({ length: 100 }, () => {
    const socket = sliced(slices);
    socket.once('end', () => {
      ended++;
      work(0.5);
    });
    return socket;
  });
  await new Promise(setImmediate);
  for (const socket of all) {
    prepare(socket, slices);
    socket.push(null);
  }
  const seen = new Set<number>();
  for (; ended < all.length; await new Promise(setImmediate)) seen.add(ended);
  expect(seen.size).toBeGreaterThan(10);
  const late = sliced(slices);
  late.push(null);
  await new Promise((resolve) => late.once('end', resolve));
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
    work(3);
  };
  const [first, second] = [sliced(slices, slow), sliced(slices, slow)];
  await new Promise(setImmediate);
  for (const socket of [first, second]) socket.push(randomBytes(8_192));
  const seen = new Set<number>();
  for (; order.length < 8; await new Promise(setImmediate)) seen.add(order.length);
  expect(order).toEqual([first, second, first, second, first, second, first, second]);
  expect(seen.size).toBeGreaterThan(4);
});

it('gives a connection that flows again its bytes in several turns', async () => {
  const socket = sliced(new ReadSlices(), () => work(1));
  await new Promise(setImmediate);
  socket.pause();
  for (let piece = 0; piece < 4; piece++) socket.push(Buffer.alloc(5_000, 'x'));
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  expect(socket.pieces).toEqual([]);
  socket.resume();
  await new Promise(setImmediate);
  expect(socket.bytes.length).toBeLessThan(12_000);
  await expect.poll(() => socket.bytes.length).toBe(20_000);
});

it('gives nothing to a paused connection, even if its stream flows', async () => {
  const slices = new ReadSlices();
  const socket = sliced(slices);
  await new Promise(setImmediate);
  slices.pause(socket);
  socket.push(Buffer.alloc(10));
  socket.push(Buffer.alloc(5_000));
  socket.pause().resume();
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  expect(socket.pieces).toEqual([]);
  slices.resume(socket);
  await expect.poll(() => socket.bytes.length).toBe(5_010);
  socket.push(Buffer.alloc(10));
  expect(socket.bytes.length).toBe(5_020);
});

it('gives the rest at once when the connection is released, in order, and nothing in slices from then on', async () => {
  const slices = new ReadSlices();
  const socket = sliced(slices);
  await new Promise(setImmediate);
  const reads = [randomBytes(40_000), randomBytes(65_536)];
  socket.once('data', () => slices.release(socket));
  for (const read of reads) socket.push(read);
  await expect.poll(() => socket.pieces.length).toBeGreaterThan(2);
  expect(socket.bytes.equals(Buffer.concat(reads))).toBe(true);
  socket.push(randomBytes(65_536));
  expect(socket.pieces.at(-1)?.length).toBe(65_536);
  expect(Object.hasOwn(socket, '_read')).toBe(false);
});

it('forgets what a destroyed connection was given', async () => {
  const socket = sliced(new ReadSlices());
  await new Promise(setImmediate);
  socket.push(Buffer.alloc(20_000, 'x'));
  socket.destroy();
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  expect(socket.pieces).toEqual([]);
});

it('gives what a server sends in larger slices, and its end at once', async () => {
  const slices = new ReadSlices({ ofServers: true });
  const socket = sliced(slices);
  slices.accept(socket);
  await new Promise(setImmediate);
  const reads = [16_384, 40_000].map((size) => randomBytes(size));
  for (const read of reads) socket.push(read);
  expect(socket.pieces.map(({ length }) => length)).toEqual([16_384]);
  await expect.poll(() => socket.bytes.equals(Buffer.concat(reads))).toBe(true);
  socket.push(null);
  expect(socket.readableEnded || socket.readableLength === 0).toBe(true);
  await new Promise((resolve) => process.nextTick(resolve));
  expect(socket.readableEnded).toBe(true);
});
