import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Duplex, duplexPair } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { HeaderBlockReader } from '../testing/header-block-reader.js';
import { headerDictionary } from '../testing/header-dictionary.js';
import { type AcceptedStream, SpdyServer } from '../testing/spdy-server.js';
import { FrameReader } from './frame-reader.js';
import { encodeFrame, encodeNumbers, type Frame, frameType } from './frames.js';
import { HeaderBlockWriter } from './header-block.js';
import { SpdyConnection } from './spdy-connection.js';

const bytes = fc.uint8Array({ maxLength: 300 });
const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    kind: fc.constant('data' as const),
    streamId: fc.integer({ min: 1, max: 0x7fff_ffff }),
    fin: fc.boolean(),
    data: bytes,
  }),
  fc.record({
    kind: fc.constant('control' as const),
    type: fc.integer({ min: 0, max: 0xffff }),
    flags: fc.nat(255),
    body: bytes,
  }),
);

describe('frames', () => {
  it('round-trip, wherever the chunks end', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(64), { maxLength: 40 }), (frames, cuts) => {
        const wire = Buffer.concat(frames.map(encodeFrame));
        const reader = new FrameReader();
        const read: Frame[] = [];
        let at = 0;
        for (const size of [...cuts, wire.length]) {
          read.push(...reader.read(wire.subarray(at, at + size)));
          at += size;
        }
        expect(read.map(plain)).toEqual(frames.map(plain));
      }),
    );
  });

  it('have the layout of the draft', () => {
    expect(encodeFrame({ kind: 'data', streamId: 3, fin: true, data: Buffer.from('hi') }).toString('hex')).toBe(
      '00000003010000026869',
    );
    expect(
      encodeFrame({ kind: 'control', type: frameType.ping, flags: 0, body: encodeNumbers(7) }).toString('hex'),
    ).toBe('800300060000000400000007');
  });
});

function plain(one: Frame): Frame {
  return one.kind === 'data' ? { ...one, data: new Uint8Array(one.data) } : { ...one, body: new Uint8Array(one.body) };
}

describe('header blocks', () => {
  it('round-trip, one after the other on one connection', async () => {
    const headers = fc.dictionary(fc.stringMatching(/^[a-z-]{1,12}$/), fc.string({ maxLength: 40 }), {
      noNullPrototype: true,
      maxKeys: 5,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(headers, { maxLength: 5 }), async (blocks) => {
        const [writer, reader] = [new HeaderBlockWriter(), new HeaderBlockReader()];
        for (const block of blocks) expect(await reader.read(writer.write(block))).toEqual(block);
      }),
    );
  });

  it('can be read when they are compressed with the dictionary of the draft', () => {
    expect([headerDictionary().length, createHash('sha256').update(headerDictionary()).digest('hex')]).toEqual([
      1423,
      '51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02',
    ]);
  });
});

describe('a connection', () => {
  function connected(pingPeriod = 0) {
    const [near, far] = duplexPair();
    const accepted: AcceptedStream[] = [];
    const arrived: ((stream: AcceptedStream) => void)[] = [];
    const server = new SpdyServer(far, new Uint8Array(), (stream) => {
      accepted.push(stream);
      arrived.shift()?.(stream);
    });
    const connection = new SpdyConnection(near, { pingPeriod });
    return { near, far, server, connection, accepted };
  }

  it('carries both directions of several streams', async () => {
    const { connection, accepted } = connected();
    const [out, back] = await Promise.all([
      connection.openStream({ streamtype: 'stdin' }),
      connection.openStream({ streamtype: 'stdout' }),
    ]);
    out.end('to the other side');
    accepted[1]?.stream.end('and back');
    expect({
      headers: accepted.map(({ headers }) => headers),
      there: await text(accepted[0]?.stream),
      back: await text(back),
    }).toEqual({
      headers: [{ streamtype: 'stdin' }, { streamtype: 'stdout' }],
      there: 'to the other side',
      back: 'and back',
    });
  });

  it('splits data that exceeds one frame', async () => {
    const { connection, accepted } = connected();
    const stream = await connection.openStream({});
    const big = Buffer.alloc(2 ** 24 + 10, 'x');
    stream.end(big);
    expect((await text(accepted[0]?.stream)).length).toBe(big.length);
  });

  it('stops reading while a stream is full, and resumes when it is read', async () => {
    const { connection, accepted, near } = connected();
    const stream = await connection.openStream({});
    for (let at = 0; at < 20; at++) accepted[0]?.stream.write(Buffer.alloc(10_000));
    await expect.poll(() => near.isPaused()).toBe(true);
    accepted[0]?.stream.end();
    expect((await text(stream)).length).toBe(200_000);
  });

  it('ends its streams when the socket closes, with the reason', async () => {
    const { connection, near } = connected();
    const stream = await connection.openStream({});
    const ended = text(stream);
    near.destroy(new Error('cable cut'));
    expect([await ended, (await connection.closed)?.message]).toEqual(['', 'cable cut']);
    await expect(connection.openStream({})).rejects.toThrow();
  });

  it('closes a stream that the peer resets', async () => {
    const { connection, accepted } = connected();
    const stream = await connection.openStream({});
    const ended = text(stream);
    accepted[0]?.stream.destroy();
    expect(await ended).toBe('');
  });

  it('answers pings, as far as the peer reads the answers', async () => {
    const near = new Duplex({ read() {}, write() {} });
    const written = vi.spyOn(near, 'write');
    new SpdyConnection(near, { pingPeriod: 0 });
    const ping = encodeFrame({ kind: 'control', type: frameType.ping, flags: 0, body: encodeNumbers(2) });
    near.push(Buffer.concat(Array.from({ length: 5_000 }, () => ping)));
    await expect.poll(() => written.mock.calls.length).toBe(1_000);
    expect(written.mock.calls[0]?.[0]).toEqual(ping);
  });

  it('pings', async () => {
    const { connection, server } = connected(5);
    await expect.poll(() => server.pings).toBeGreaterThan(1);
    connection.close();
  });
});

async function text(stream: Duplex | undefined): Promise<string> {
  const chunks: Buffer[] = [];
  if (stream !== undefined) for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
