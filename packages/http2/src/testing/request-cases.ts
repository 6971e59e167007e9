import { encodeHeaderBlock } from '../hpack/header-block.js';
import type { Http2Case, Outcome } from './http2-case.js';
import {
  blockFrame,
  continuationFrame,
  dataFrame,
  getRequest,
  headersFrame,
  postRequest,
  type RawFields,
  requestFields,
} from './raw-frames.js';

const { concat } = Buffer;
const malformed: readonly Outcome[] = ['stream PROTOCOL_ERROR'];
const responded: readonly Outcome[] = ['responded 200'];
const badBlock: readonly Outcome[] = ['connection COMPRESSION_ERROR'];
const get = requestFields('/small');

/** Requests of a client, well-formed and malformed. */
export function requestCases(): readonly (readonly [section: string, cases: readonly Http2Case[]])[] {
  return [
    ['8.2 fields', fields()],
    ['8.3 pseudo-headers', pseudoHeaders()],
    ['8.1 bodies', bodies()],
    ['RFC 7541', blocks()],
  ];
}

function requestWith(name: string, of: RawFields, expected: readonly Outcome[] = malformed): Http2Case {
  return { name, bytes: headersFrame(1, of), expected };
}

const without = (name: string): RawFields => get.filter(([field]) => field !== name);
const replaced = (name: string, value: string): RawFields =>
  get.map(([field, old]) => [field, field === name ? value : old]);
const withMore = (...more: RawFields): RawFields => [...get, ...more];

function fields(): readonly Http2Case[] {
  const refused: readonly Outcome[] = ['responded 400'];
  return [
    requestWith('capitals in a name', withMore(['X-Upper', 'b'])),
    requestWith('a name of nothing', withMore(['', 'b'])),
    requestWith('a space in a name', withMore(['x a', 'b'])),
    requestWith('a line break in a name', withMore(['x\r\ny', 'b'])),
    requestWith('a line break in a value', withMore(['x', 'a\r\nb: c'])),
    requestWith('a zero in a value', withMore(['x', 'a\0b'])),
    requestWith('a tab in a value', withMore(['x', 'a\tb']), responded),
    requestWith('bytes beyond ASCII in a value', withMore(['x', 'äöü']), responded),
    requestWith('an empty value', withMore(['x', '']), responded),
    requestWith('a connection', withMore(['connection', 'keep-alive']), refused),
    requestWith('a connection to be kept', withMore(['keep-alive', '5']), refused),
    requestWith('a connection to a proxy', withMore(['proxy-connection', 'x']), refused),
    requestWith('chunks', withMore(['transfer-encoding', 'chunked']), refused),
    requestWith('an upgrade', withMore(['upgrade', 'websocket']), refused),
    requestWith('a wish for compressed trailers', withMore(['te', 'gzip']), refused),
    requestWith('a wish for trailers', withMore(['te', 'trailers']), responded),
    requestWith(
      'a thousand fields',
      withMore(...Array.from({ length: 1000 }, (_, i) => [`x-${i}`, 'y'] as const)),
      responded,
    ),
  ];
}

function pseudoHeaders(): readonly Http2Case[] {
  return [
    requestWith('no method', without(':method')),
    requestWith('no path', without(':path')),
    requestWith('no scheme', without(':scheme')),
    requestWith('no authority, but a host', [...without(':authority'), ['host', 'localhost']], responded),
    requestWith('an empty path', replaced(':path', '')),
    requestWith('an empty method', replaced(':method', '')),
    requestWith('a control character in the path', replaced(':path', '/a\x01b')),
    requestWith('two methods', [[':method', 'GET'], ...get]),
    requestWith('two paths', [[':path', '/small'], ...get]),
    requestWith('two authorities', [[':authority', 'localhost'], ...get]),
    requestWith('an unknown one', [[':made-up', 'x'], ...get]),
    requestWith('one of a response', [[':status', '200'], ...get]),
    requestWith('one behind a header', [['x-a', 'b'], ...get]),
    requestWith('the protocol of another CONNECT', [...replaced(':method', 'CONNECT'), [':protocol', 'websocket']]),
    requestWith('CONNECT with a path', replaced(':method', 'CONNECT')),
    requestWith('a user in the authority', replaced(':authority', 'me@localhost')),
    requestWith('no fields at all', []),
  ];
}

function bodies(): readonly Http2Case[] {
  const length = (bytes: string) => postRequest(1, '/echo', [['content-length', bytes]]);
  const trailers = (of: RawFields, endStream = true) => headersFrame(1, of, { endStream });
  const echo = postRequest(1, '/echo');
  return [
    { name: 'as long as they say', bytes: concat([length('4'), dataFrame(1, 'body', true)]), expected: responded },
    { name: 'longer than they say', bytes: concat([length('3'), dataFrame(1, 'body', true)]), expected: malformed },
    { name: 'shorter than they say', bytes: concat([length('5'), dataFrame(1, 'body', true)]), expected: malformed },
    {
      name: 'shorter than they say, with trailers',
      bytes: concat([length('5'), dataFrame(1, 'body'), trailers([['x', 'y']])]),
      expected: malformed,
    },
    {
      name: 'that were announced and are missing',
      bytes: getRequest(1, '/small', [['content-length', '5']]),
      expected: malformed,
    },
    {
      name: 'without end, in the end with nothing',
      bytes: concat([echo, dataFrame(1, 'a'), dataFrame(1, '', true)]),
      expected: responded,
    },
    {
      name: 'with trailers',
      bytes: concat([echo, dataFrame(1, 'a'), trailers([['x-sum', '1']])]),
      expected: responded,
    },
    { name: 'of trailers', bytes: concat([echo, trailers([['x-sum', '1']])]), expected: responded },
    {
      name: 'with trailers without the end of the stream',
      bytes: concat([echo, trailers([['x', '1']], false)]),
      expected: malformed,
    },
    {
      name: 'with a pseudo-header behind them',
      bytes: concat([echo, trailers([[':path', '/']])]),
      expected: malformed,
    },
    { name: 'with capitals behind them', bytes: concat([echo, trailers([['X', '1']])]), expected: malformed },
    {
      name: 'behind trailers',
      bytes: concat([postRequest(1, '/hang'), trailers([['x', '1']]), dataFrame(1, 'x')]),
      expected: ['stream STREAM_CLOSED'],
    },
  ];
}

/** An indexed literal: "x: y". */
const remembered = [0x40, 1, 0x78, 1, 0x79];

function blocks(): readonly Http2Case[] {
  const plain = encodeHeaderBlock(get);
  const block = (name: string, bytes: readonly number[], expected: readonly Outcome[] = badBlock): Http2Case => ({
    name,
    bytes: blockFrame(1, concat([plain, Uint8Array.from(bytes)])),
    expected,
  });
  const began = (name: string, bytes: readonly number[], expected: readonly Outcome[] = badBlock): Http2Case => ({
    name,
    bytes: blockFrame(1, concat([Uint8Array.from(bytes), plain])),
    expected,
  });
  return [
    block('the field 0', [0x80]),
    block('a field that is nowhere', [0xbe]),
    block('a name that is nowhere', [0x7f, 0x80, 1, 1, 0x79]),
    block('a name that is cut off', [0, 5, 0x78]),
    block('a value that is cut off', [0, 1, 0x78, 9, 0x79]),
    block('no value', [0, 1, 0x78]),
    block('a number without end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
    block('a number that breaks off', [0xff, 0x80]),
    block('the end of a text in Huffman’s code', [0, 1, 0x78, 0x84, 0xff, 0xff, 0xff, 0xff]),
    block('a text filled up with eight bits', [0, 1, 0x78, 0x82, 0x1f, 0xff]),
    block('a text filled up with zeros', [0, 1, 0x78, 0x81, 0x18]),
    block('a text in Huffman’s code', [0, 1, 0x78, 0x82, 0x64, 0x02], responded),
    block('a secret', [0x10, 1, 0x78, 1, 0x79], responded),
    block('a field said and referred to', [...remembered, 0xbe], responded),
    began('a table larger than allowed', [0x3f, 0xe2, 0x1f]),
    began('a table of every size allowed', [0x20, 0x3f, 0xe1, 0x1f], responded),
    block('another size of the table behind a field', [...remembered, 0x20]),
    block('a field larger than the table, which empties it', [...remembered, ...largerThanTable(), 0xbe]),
    {
      name: 'fields that an earlier request has said',
      first: { bytes: blockFrame(1, concat([plain, Uint8Array.from(remembered)])), endOf: 1 },
      bytes: blockFrame(3, concat([plain, Buffer.of(0xbe)])),
      stream: 3,
      expected: responded,
    },
    {
      name: 'fields that the table has dropped since',
      first: { bytes: blockFrame(1, concat([plain, Uint8Array.from(remembered)])), endOf: 1 },
      bytes: blockFrame(3, concat([Buffer.of(0x20, 0x3f, 0xe1, 0x1f), plain, Buffer.of(0xbe)])),
      stream: 3,
      expected: badBlock,
    },
    {
      name: 'fields that a refused request has said',
      first: { bytes: blockFrame(1, concat([plain, Uint8Array.from(remembered), Buffer.of(0, 1, 0x58, 0)])), endOf: 1 },
      bytes: blockFrame(3, concat([plain, Buffer.of(0xbe)])),
      stream: 3,
      expected: responded,
    },
    {
      name: 'more fields than it takes, in a few bytes',
      bytes: ({ serverSettings }) => blockFrame(1, bomb(plain, serverSettings.maxHeaderListSize ?? 2 ** 24)),
      expected: ['responded 431'],
    },
    {
      name: 'more fields than it takes, and then a continuation',
      bytes: ({ serverSettings }) =>
        concat([
          blockFrame(1, bomb(plain, serverSettings.maxHeaderListSize ?? 2 ** 24), { endHeaders: false }),
          continuationFrame(1, [0x82], true),
        ]),
      expected: ['connection PROTOCOL_ERROR'],
    },
    {
      name: 'more fields than it takes, and then an empty continuation',
      bytes: ({ serverSettings }) =>
        concat([
          blockFrame(1, bomb(plain, serverSettings.maxHeaderListSize ?? 2 ** 24), { endHeaders: false }),
          continuationFrame(1, [], true),
        ]),
      expected: ['responded 431'],
    },
    {
      name: 'a malformed field, and then a continuation',
      bytes: concat([
        blockFrame(1, concat([plain, Buffer.of(0, 1, 0x58, 1, 0x76)]), { endHeaders: false }),
        continuationFrame(1, [], true),
      ]),
      expected: ['connection PROTOCOL_ERROR'],
    },
    {
      name: 'a text that is longer than all fields may be',
      bytes: ({ serverSettings }) =>
        blockFrame(1, concat([plain, textOf((serverSettings.maxHeaderListSize ?? 2 ** 24) + 1, 0)]), {
          endHeaders: false,
        }),
      expected: badBlock,
    },
    {
      name: 'a text in Huffman’s code that is longer than all fields may be',
      bytes: ({ serverSettings }) => {
        // Zeros stand for "0", in five bits each.
        const bytes = Math.ceil(((serverSettings.maxHeaderListSize ?? 2 ** 24) + 8) / 8) * 5;
        return inFrames(concat([plain, textOf(bytes, 0x80), Buffer.alloc(bytes)]));
      },
      expected: badBlock,
    },
    {
      name: 'a text in Huffman’s code in many frames',
      bytes: inFrames(concat([plain, textOf(200_000, 0x80), Buffer.alloc(200_000)])),
      expected: responded,
    },
  ];
}

/** A literal "x" whose value has a length, without the value. `coding`: 0x80 for Huffman's code. */
function textOf(length: number, coding: number): Buffer {
  const bytes = [0, 1, 0x78, coding | 0x7f];
  let rest = length - 0x7f;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
}

/** A block in frames of 10,001 bytes. */
function inFrames(block: Buffer): Buffer {
  const size = 10_001;
  const frames: Buffer[] = [];
  for (let at = 0; at < block.length; at += size) {
    const part = block.subarray(at, at + size);
    const isLast = at + size >= block.length;
    frames.push(at === 0 ? blockFrame(1, part, { endHeaders: isLast }) : continuationFrame(1, part, isLast));
  }
  return concat(frames);
}

/** A literal of 5,000 bytes that requests indexing. */
function largerThanTable(): readonly number[] {
  return [0x40, 1, 0x78, 0x7f, 0x89, 0x26, ...Buffer.alloc(5000, 'v')];
}

/** One field of 4,000 bytes, and enough references to it to exceed `bytes` in total. */
function bomb(plain: Buffer, bytes: number): Buffer {
  const field = Buffer.concat([Buffer.of(0x40, 1, 0x78, 0x7f, 0xa1, 0x1e), Buffer.alloc(4000, 'v')]);
  return Buffer.concat([plain, field, Buffer.alloc(Math.ceil(bytes / 4000) + 1, 0xbe)]);
}
