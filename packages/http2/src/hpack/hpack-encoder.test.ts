import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader } from '../frames/frame-reader.js';
import { FrameFlag, FrameType } from '../frames/frame-types.js';
import { FrameWriter } from '../frames/frame-writer.js';
import { HpackDecoder } from './hpack-decoder.js';
import { HpackEncoder } from './hpack-encoder.js';

type Fields = readonly (readonly [name: string, value: string | readonly string[]])[];

const hexOf = (block: Uint8Array) => Buffer.from(block).toString('hex');

/** Decodes a block: one entry per value. */
function decoded(decoder: HpackDecoder, block: Uint8Array): readonly (readonly [string, string])[] {
  const fields: (readonly [string, string])[] = [];
  decoder.decode(Buffer.from(block), ({ name, value }) => fields.push([name, value]));
  return fields;
}

const flat = (status: number, fields: Fields) => [
  [':status', String(status)],
  ...fields.flatMap(([name, value]) => [value].flat().map((each) => [name, each])),
];

const head: Fields = [
  ['audit-id', '6ff4f4b3-6b7b-4c1c-8e0e-2f4f5a1c7b6d'],
  ['cache-control', 'no-cache, private'],
  ['content-type', 'application/json'],
  ['date', 'Sun, 22 Nov 2026 12:00:00 GMT'],
  ['content-length', '1234'],
];

describe('HpackEncoder', () => {
  it.each([
    [200, '88'],
    [204, '89'],
    [206, '8a'],
    [304, '8b'],
    [400, '8c'],
    [404, '8d'],
    [500, '8e'],
    [201, '0803323031'],
  ])('writes the status %d as in RFC 7541', (status, hex) => {
    expect(hexOf(new HpackEncoder().encode(status, []))).toBe(hex);
  });

  it('needs one byte for a value that it has sent twice, and writes unique values as literals', () => {
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder();
    const sizes = Array.from({ length: 4 }, () => {
      const block = encoder.encode(201, head);
      const { length } = block;
      expect(decoded(decoder, block)).toEqual(flat(201, head));
      return length;
    });
    // In the end, two bytes for the name and one for the length of the new value, and one byte for each of the
    // others.
    expect(sizes).toEqual([130, 119, 50, 50]);
  });

  it('never indexes secrets', () => {
    const encoder = new HpackEncoder();
    const block = () => hexOf(encoder.encode(200, [['set-cookie', ['a=1', 'b=2']]]));
    const expected = `88${'1f28'}03${hexOf(Buffer.from('a=1'))}${'1f28'}03${hexOf(Buffer.from('b=2'))}`;
    expect([block(), block(), block()]).toEqual([expected, expected, expected]);
  });

  it.each<[string, string, string]>([
    ['a line break in the value', 'x-a', 'a\r\nb: c'],
    ['a zero in the value', 'x-a', 'a\0'],
    ['a DEL in the value', 'x-a', '\x7f'],
    ['upper case in the name', 'X-A', 'a'],
    ['a line break in the name', 'x\n', 'a'],
    ['no name', '', 'a'],
    ['a name beyond ASCII', 'ä', 'a'],
  ])('omits a field with %s', (_, name, value) => {
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder();
    for (let round = 0; round < 3; round++) {
      const block = encoder.encode(200, [
        ['x-before', '1'],
        [name, value],
        ['x-after', 'a\tb'],
      ]);
      expect(decoded(decoder, block).slice(1)).toEqual([
        ['x-before', '1'],
        ['x-after', 'a\tb'],
      ]);
    }
  });

  it('accepts values of any length', () => {
    const fields: Fields = [127, 128, 254, 255, 256, 257, 16_384, 100_000].map((size) => [
      `x-${size}`,
      'v'.repeat(size),
    ]);
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder();
    for (let round = 0; round < 2; round++)
      expect(decoded(decoder, encoder.encode(200, fields))).toEqual(flat(200, fields));
  });

  it.each<[string, readonly number[], string]>([
    ['a smaller table', [1024], '3fe107'],
    ['no table', [0], '20'],
    ['no table temporarily', [0, 4096], '203fe11f'],
    ['several sizes', [2048, 100, 300, 200], '3f45' + '3fa901'],
    ['a larger table than its maximum', [65_536], ''],
    ['a small table, then a larger one than its maximum', [512, 1_000_000], '3fe103' + '3fe11f'],
  ])('announces %s', (_, sizes, hex) => {
    const encoder = new HpackEncoder();
    for (const size of sizes) encoder.setTableSize(size);
    expect([hexOf(encoder.encode(200, [])), hexOf(encoder.encode(200, []))]).toEqual([`${hex}88`, '88']);
  });

  it('remembers a bounded number of names', () => {
    const encoder = new HpackEncoder();
    const decoder = new HpackDecoder();
    for (let round = 0; round < 3; round++) {
      const fields: Fields = Array.from({ length: 1000 }, (_, index) => [`x-${index}`, `${index % 7}`]);
      expect(decoded(decoder, encoder.encode(200, fields))).toEqual(flat(200, fields));
    }
  });

  it('is decodable after any headers and table sizes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const encoder = new HpackEncoder();
        const decoder = new HpackDecoder();
        for (const { sizes, status, fields } of steps) {
          for (const size of sizes) encoder.setTableSize(size);
          expect(decoded(decoder, encoder.encode(status, fields))).toEqual(flat(status, fields));
        }
      }),
    );
  });

  it('is decodable by nghttp2', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        using peer = await Nghttp2Peer.start();
        for (const { sizes, status, fields } of steps) {
          for (const size of sizes) await peer.setTableSize(size);
          expect(await peer.response(status, fields)).toEqual(joined(status, fields));
        }
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 25 },
    );
  });
});

const value = fc.oneof(
  fc.constantFrom('application/json', 'application/yaml', 'no-cache, private', 'a', '', 'Accept-Encoding', '1', '2'),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((char) => String.fromCharCode(char)), maxLength: 400 }),
);
/** Without surrounding spaces, which a client trims. */
const trimmed = value.map((text) => text.trim());
const name = fc.constantFrom(
  ...['audit-id', 'cache-control', 'content-type', 'date', 'vary', 'x-content-type-options', 'warning', 'x-a', 'x-b'],
  ...['x-kubernetes-pf-flowschema-uid', 'retry-after', 'set-cookie'],
);
const fields = fc.uniqueArray(fc.tuple(name, trimmed), { maxLength: 10, selector: ([key]) => key });
const size = fc.oneof(fc.constantFrom(0, 31, 64, 100, 256, 4096, 65_536), fc.nat(5000));
const step = fc.record({
  sizes: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(size, { maxLength: 3 })),
  status: fc.constantFrom(200, 200, 201, 204, 404, 409, 422, 500),
  fields,
});

/** The form in which Node returns them. */
function joined(status: number, of: Fields): Record<string, unknown> {
  return Object.fromEntries([
    [':status', status],
    ...of.map(([key, text]) => [key, key === 'set-cookie' ? [text].flat() : text]),
  ]);
}

/** A client of node:http2, and a server that responds with the encoder's blocks. */
class Nghttp2Peer implements Disposable {
  readonly #server: Server;
  readonly #session: ClientHttp2Session;
  readonly #encoder: HpackEncoder;
  /** The next response's block. */
  #make: () => Uint8Array = () => new Uint8Array();

  private constructor(server: Server, encoder: HpackEncoder) {
    this.#server = server;
    this.#encoder = encoder;
    server.on('connection', (socket) => this.#serve(socket));
    // Its streams report the error too.
    this.#session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).on('error', () => {});
  }

  static async start(): Promise<Nghttp2Peer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Nghttp2Peer(server, new HpackEncoder());
  }

  [Symbol.dispose](): void {
    this.#session.destroy();
    this.#server.close();
  }

  async setTableSize(headerTableSize: number): Promise<void> {
    await new Promise<void>((resolve) => this.#session.settings({ headerTableSize }, () => resolve()));
  }

  response(status: number, fields: Fields): Promise<IncomingHttpHeaders> {
    this.#make = () => this.#encoder.encode(status, fields);
    const request = this.#session.request({ ':path': '/' });
    return new Promise((resolve, reject) => {
      request.once('response', (headers) => resolve(Object.fromEntries(Object.entries(headers))));
      request.once('error', reject);
    });
  }

  #serve(socket: Socket): void {
    const writer = new FrameWriter();
    writer.frame(FrameType.settings, 0, 0, new Uint8Array());
    const reader = new FrameReader({
      frame: (type, flags, stream, payload) => {
        if (type === FrameType.settings && (flags & FrameFlag.ack) === 0) {
          for (let at = 0; at < payload.length; at += 6) {
            if (payload.readUInt16BE(at) === 1) this.#encoder.setTableSize(payload.readUInt32BE(at + 2));
          }
          writer.frame(FrameType.settings, FrameFlag.ack, 0, new Uint8Array());
        }
        if (type === FrameType.headers) {
          writer.frame(FrameType.headers, FrameFlag.endHeaders | FrameFlag.endStream, stream, this.#make());
        }
        for (const bytes of writer.take()) socket.write(bytes);
      },
      data: () => {},
    });
    let preface = 24;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      const skipped = Math.min(preface, chunk.length);
      preface -= skipped;
      reader.push(chunk.subarray(skipped));
    });
  }
}
