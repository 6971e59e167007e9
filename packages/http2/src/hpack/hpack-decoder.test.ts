import { createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Http2ClientConnection } from '../client/http2-client-connection.js';
import { huffmanCoded } from '../testing/huffman-coded.js';
import { encodeHeaderBlock } from './header-block.js';
import { HpackDecoder } from './hpack-decoder.js';
import type { HeaderField } from './static-table.js';

const fieldsOf = (decoder: HpackDecoder, hex: string) => {
  const fields: (readonly [string, string])[] = [];
  decoder.decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'), ({ name, value }) => fields.push([name, value]));
  return fields;
};

describe('HpackDecoder', () => {
  it('reads blocks that refer to earlier ones, RFC 7541 C.4', () => {
    const decoder = new HpackDecoder();
    const first = [
      [':method', 'GET'],
      [':scheme', 'http'],
      [':path', '/'],
      [':authority', 'www.example.com'],
    ];
    expect(fieldsOf(decoder, '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff')).toEqual(first);
    expect(fieldsOf(decoder, '8286 84be 5886 a8eb 1064 9cbf')).toEqual([...first, ['cache-control', 'no-cache']]);
    expect(fieldsOf(decoder, '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf')).toEqual([
      [':method', 'GET'],
      [':scheme', 'https'],
      [':path', '/index.html'],
      [':authority', 'www.example.com'],
      ['custom-key', 'custom-value'],
    ]);
  });

  it('reads blocks written without a table', () => {
    const fields = [['te', 'trailers'] as const, ['x-long', 'v'.repeat(1000)] as const];
    expect(fieldsOf(new HpackDecoder(), encodeHeaderBlock(fields).toString('hex'))).toEqual(fields);
  });

  it.each([
    ['an index outside the table', 'be', 'there is no table entry 62'],
    ['a truncated string', '400a6162', 'truncated'],
    ['an integer without end', 'ffffffffffff', 'too large'],
    ['a table larger than ours', '3fe21f', 'exceeds its maximum'],
    ['a table size update between headers', '8220', 'follows a header'],
  ])('refuses %s', (_, hex, message) => {
    expect(() => fieldsOf(new HpackDecoder(), hex)).toThrow(message);
  });

  it('passes on at most its limit, however compact the block', () => {
    const decoder = new HpackDecoder();
    const remembered = Buffer.concat([Buffer.from('400161 7fa11e'.replace(' ', ''), 'hex'), Buffer.alloc(4000, 'v')]);
    expect(fieldsOf(decoder, remembered.toString('hex'))).toEqual([['a', 'v'.repeat(4000)]]);
    expect(fieldsOf(decoder, 'be'.repeat(60))).toHaveLength(60);
    expect(fieldsOf(decoder, 'be'.repeat(70))).toHaveLength(64);
    expect(decoder.decode(Buffer.from('be'.repeat(70), 'hex'), () => {})).toBe(false);
    expect(decoder.decode(Buffer.from('be'.repeat(60), 'hex'), () => {})).toBe(true);
  });

  it('reads a block in fragments of any length', () => {
    const text = fc.uint8Array({ maxLength: 300 }).map((bytes) => [...bytes]);
    const literal = fc.record({ kind: fc.constantFrom(0, 0x40), name: text, value: text, isCoded: fc.boolean() });
    fc.assert(
      fc.property(fc.array(literal, { maxLength: 8 }), fc.array(fc.nat({ max: 40 })), (literals, lengths) => {
        const block = Buffer.concat(literals.flatMap(encodedLiteral));
        const expected = literals.map(({ name, value }) => [latin1(name), latin1(value)]);
        const decoder = new HpackDecoder();
        const fields: [string, string][] = [];
        let at = 0;
        for (const length of lengths) {
          decoder.write(block.subarray(at, at + length), ({ name, value }) => fields.push([name, value]));
          at = Math.min(at + length, block.length);
          if (at < block.length) expect(fields.length).toBeLessThan(literals.length);
        }
        decoder.write(block.subarray(at), ({ name, value }) => fields.push([name, value]));
        expect([decoder.finish(), fields]).toEqual([true, expected]);
      }),
    );
  });

  it.each([
    ['plain', 0],
    ['in Huffman’s code', 0x80],
  ])('reads a long name once, however many fragments follow it: %s', (_, coding) => {
    const decoder = new HpackDecoder(2 ** 20);
    const length = 600_000;
    const rest = length - 127;
    const size = Buffer.of(coding | 127, (rest & 127) | 128, ((rest >> 7) & 127) | 128, rest >> 14);
    decoder.write(Buffer.concat([Buffer.of(0, ...size), Buffer.alloc(length)]), () => {});
    decoder.write(Buffer.of(100), () => {});
    const read = vi.spyOn(Buffer.prototype, 'toString');
    for (let count = 0; count < 99; count++) decoder.write(Buffer.from('v'), () => {});
    expect(read.mock.calls.length).toBeLessThan(3);
    read.mockRestore();
    const values: string[] = [];
    decoder.write(Buffer.from('v'), ({ value }) => values.push(value));
    expect(values).toEqual(['v'.repeat(100)]);
  });

  it('takes no memory for a text before it comes', () => {
    const allocate = vi.spyOn(Buffer, 'allocUnsafe');
    // 600,000 bytes in Huffman's code, of which one has come.
    new HpackDecoder(2 ** 20).write(Buffer.from('000178ffc1ce2400', 'hex'), () => {});
    const sizes = allocate.mock.calls.map(([size]) => size);
    allocate.mockRestore();
    expect(Math.max(0, ...sizes)).toBeLessThan(100);
  });

  it('refuses a block that ends in a field, and a fragment after its limit', () => {
    const decoder = new HpackDecoder(100);
    const write = (hex: string) => decoder.write(Buffer.from(hex, 'hex'), () => {});
    write('400161');
    expect(() => decoder.finish()).toThrow('truncated');
    const other = new HpackDecoder(100);
    other.write(Buffer.from('8286848284', 'hex'), () => {});
    expect(() => other.write(Buffer.from('82', 'hex'), () => {})).toThrow('too large');
    other.write(Buffer.alloc(0), () => {});
    expect(other.finish()).toBe(false);
  });

  it('counts table entries in bytes, not characters', () => {
    const decoder = new HpackDecoder();
    // A table of 70 bytes: two fields of 34, the second with a byte that no text in UTF-8 has.
    expect(fieldsOf(decoder, '3f27 400161 0141 400162 01ff bebf')).toEqual([
      ['a', 'A'],
      ['b', '\xff'],
      ['b', '\xff'],
      ['a', 'A'],
    ]);
  });

  it('has the newest fields that fit its table, whatever their number', () => {
    const text = (length: number) => '00'.repeat(length);
    const indexed = (index: number) => (index < 127 ? byte(0x80 | index) : `ff${byte(index - 127)}`);
    for (const [name, value, expected] of [
      [0, 0, 128],
      [1, 0, 124],
      [3, 90, 32],
      [0, 100, 31],
      [1, 118, 27],
    ] as const) {
      const decoder = new HpackDecoder();
      const remembered = `40${byte(name)}${text(name)}${byte(value)}${text(value)}`;
      for (let added = 1; added <= 300; added++) {
        fieldsOf(decoder, remembered);
        const fields = Math.min(added, expected);
        expect(fieldsOf(decoder, indexed(61 + fields))).toHaveLength(1);
        if (added % 50 === 0) expect(() => fieldsOf(decoder, indexed(62 + fields))).toThrow('no table entry');
      }
      // A field larger than the table empties it. Then it begins again.
      fieldsOf(decoder, `3f${byte(50 - 31)} 4001 61 14${text(20)}`);
      expect(() => fieldsOf(decoder, 'be')).toThrow('no table entry');
      expect(fieldsOf(decoder, '4001 6101 62 be')).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ]);
    }
  });

  it('follows another encoder through many blocks that overflow its table', async () => {
    const sent = Array.from({ length: 200 }, (_, block) => headersOf(block));
    const server = createServer();
    let next = 0;
    server.on('stream', (stream: ServerHttp2Stream) =>
      stream.respond({ ':status': 200, ...sent[next++] }, { endStream: true }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const connection = new Http2ClientConnection(socket, 'connect', { ready() {}, goingAway() {}, closed() {} });
    try {
      for (const expected of sent) expect(await request(connection)).toMatchObject(expected);
    } finally {
      connection.destroy(new Error('done'));
      server.close();
    }
  });
});

const latin1 = (bytes: readonly number[]) => Buffer.from(bytes).toString('latin1');

function encodedLiteral({ kind, name, value, isCoded }: EncodedLiteral): readonly Buffer[] {
  return [Buffer.of(kind), ...[name, value].flatMap((text) => encodedText(text, isCoded))];
}

interface EncodedLiteral {
  readonly kind: number;
  readonly name: readonly number[];
  readonly value: readonly number[];
  readonly isCoded: boolean;
}

function encodedText(text: readonly number[], isCoded: boolean): readonly Buffer[] {
  const bytes = isCoded ? huffmanCoded(text) : Buffer.from(text);
  const flag = isCoded ? 0x80 : 0;
  if (bytes.length < 127) return [Buffer.of(flag | bytes.length), bytes];
  const rest = bytes.length - 127;
  return [Buffer.of(flag | 127, (rest & 127) | 128, rest >> 7), bytes];
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** Some headers are constant, some repeat, and some contain every allowed character. */
function headersOf(block: number): IncomingHttpHeaders {
  const letters = String.fromCharCode(...Array.from({ length: 94 }, (_, i) => 0x21 + ((i * 7 + block) % 94)));
  return {
    'content-type': 'application/grpc',
    'x-constant': 'the same',
    [`x-name-${block % 17}`]: `value ${block % 5}`,
    'x-letters': letters.slice(0, 20 + (block % 70)),
    'x-long': `${block}`.repeat(block * 3),
  };
}

function request(connection: Http2ClientConnection): Promise<Record<string, string>> {
  return new Promise((resolve) => {
    const headers: Record<string, string> = {};
    const block = encodeHeaderBlock([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':authority', 'localhost'],
      [':path', '/'],
    ]);
    const stream = connection.request(block, {
      header: ({ name, value }: HeaderField) => {
        headers[name] = value;
      },
      data: () => {},
      closed: () => resolve(headers),
    });
    stream.write(new Uint8Array(0), true);
  });
}
