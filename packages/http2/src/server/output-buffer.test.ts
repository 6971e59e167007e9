import { describe, expect, it } from 'vitest';
import { FrameReader } from '../frames/frame-reader.js';
import { BufferPool } from './buffer-pool.js';
import { OutputBuffer } from './output-buffer.js';

/** Decodes the output as a client would. */
function framesOf(bytes: Buffer) {
  const frames: unknown[] = [];
  const reader = new FrameReader({
    frame: (type, flags, stream, payload) => frames.push([type, flags, stream, payload.toString('latin1')]),
    data: (stream, chunk, endStream) => frames.push(['data', stream, chunk.length, endStream]),
  });
  reader.push(bytes);
  return frames;
}

describe('OutputBuffer', () => {
  it('collects frames in one buffer', () => {
    const output = new OutputBuffer(new BufferPool());
    output.frame(6, 1, 0, Buffer.from('12345678'));
    output.frame32(3, 2 ** 31 - 1, 2 ** 32 - 1);
    output.header(0, 1, 5, 3);
    output.bytes(Buffer.from('--abc--'), 2, 5);
    const pieces = output.take();
    expect([pieces.length, output.length]).toEqual([1, 0]);
    expect(framesOf(Buffer.concat(pieces.map(({ bytes }) => bytes)))).toEqual([
      [6, 1, 0, '12345678'],
      [3, 0, 2 ** 31 - 1, '\xff\xff\xff\xff'],
      ['data', 5, 3, true],
    ]);
  });

  it.each([0, 16_384, 100_000, 262_144, 1_000_000])('keeps %i bytes in order, in few buffers', (size) => {
    const pool = new BufferPool();
    const output = new OutputBuffer(pool);
    const body = Buffer.from(Uint8Array.from({ length: size }, (_, index) => index % 251));
    output.frame(4, 0, 0, Buffer.alloc(6));
    for (let at = 0; at < size; at += 7_000) output.bytes(body, at, Math.min(size, at + 7_000));
    expect(output.length).toBe(15 + size);
    const pieces = output.take();
    expect(pieces.length).toBe(Math.ceil((15 + size) / 262_144));
    const sent = Buffer.concat(pieces.map(({ bytes }) => bytes));
    expect(sent.subarray(15).equals(body)).toBe(true);
  });

  it('reuses only memory that was returned', () => {
    const pool = new BufferPool();
    const [one, other] = [new OutputBuffer(pool), new OutputBuffer(pool)];
    for (const output of [one, other]) output.frame32(3, 1, 0);
    const [first, second] = [one.take(), other.take()].map((pieces) => pieces[0]?.memory as Buffer);
    expect(first).not.toBe(second);
    pool.giveBack(first as Buffer);
    other.frame32(3, 1, 0);
    expect(other.take()[0]?.memory).toBe(first);
  });
});
