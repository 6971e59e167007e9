import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataFrame, paddedDataFrame, pingFrame, rawFrame } from '../testing/raw-frames.js';
import { FrameReader } from './frame-reader.js';

/** A reader with its received frames; the data of a stream is concatenated. */
class Heard {
  readonly frames: string[] = [];
  readonly reader: FrameReader;
  /** Suspend on the next frame. */
  suspends = false;
  #data = '';

  constructor(maxFrameSize?: number) {
    this.reader = new FrameReader(
      {
        frame: (type, flags, stream, payload) => {
          this.frames.push(`${type} ${flags} ${stream} ${payload.length}`);
          if (this.suspends) this.reader.suspend();
        },
        data: (stream, chunk, endStream, padding) => {
          this.#data += chunk.toString();
          if (endStream) this.frames.push(`data ${stream} ${this.#data} ${padding}`);
          if (endStream) this.#data = '';
        },
      },
      maxFrameSize,
    );
  }
}

const said = Buffer.concat([
  pingFrame('a'),
  dataFrame(1, 'first '),
  dataFrame(1, 'and last', true),
  rawFrame(0xbe, 3, 5, Buffer.alloc(16_384)),
  paddedDataFrame(3, 'padded', 7, true),
  dataFrame(3, '', true),
]);
const all = ['6 0 0 8', 'data 1 first and last 0', '190 3 5 16384', 'data 3 padded 8', 'data 3  0'];

describe('FrameReader', () => {
  it('reads frames that are split at any position', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1 }), (sizes) => {
        const heard = new Heard();
        let at = 0;
        for (let index = 0; at < said.length; index++) {
          const size = sizes[index % sizes.length] as number;
          heard.reader.push(said.subarray(at, at + size));
          at += size;
        }
        expect([heard.frames, heard.reader.held]).toEqual([all, 0]);
      }),
    );
  });

  it('reads frames that come byte by byte', () => {
    const heard = new Heard();
    for (const byte of said) heard.reader.push(Buffer.of(byte));
    expect(heard.frames).toEqual(all);
  });

  it('passes on nothing while it is suspended, then everything', () => {
    const heard = new Heard();
    heard.suspends = true;
    heard.reader.push(said.subarray(0, 100));
    heard.reader.push(said.subarray(100));
    expect([heard.frames, heard.reader.held]).toEqual([all.slice(0, 1), said.length - 17]);
    heard.reader.resume();
    expect([heard.frames, heard.reader.held > 0]).toEqual([all.slice(0, 3), true]);
    heard.suspends = false;
    heard.reader.resume();
    expect([heard.frames, heard.reader.held]).toEqual([all, 0]);
  });

  it('does not count an incomplete frame as held', () => {
    const heard = new Heard();
    heard.reader.push(pingFrame('a').subarray(0, 12));
    expect(heard.reader.held).toBe(0);
  });

  it.each([
    [undefined, 16_384],
    [100_000, 100_000],
  ])('accepts frames up to the given size (%s)', (given, most) => {
    const heard = new Heard(given);
    heard.reader.push(rawFrame(0xbe, 0, 0, Buffer.alloc(most)));
    expect(heard.frames).toEqual([`190 0 0 ${most}`]);
    expect(() => heard.reader.push(rawFrame(0xbe, 0, 0, Buffer.alloc(most + 1)))).toThrow(
      `a frame has ${most + 1} bytes`,
    );
  });
});
