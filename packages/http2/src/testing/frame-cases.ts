import { FrameFlag, FrameType, Setting } from '../frames/frame-types.js';
import { encodeHeaderBlock } from '../hpack/header-block.js';
import type { Http2Case, Outcome } from './http2-case.js';
import {
  blockFrame,
  continuationFrame,
  dataFrame,
  getRequest,
  headersFrame,
  paddedDataFrame,
  pingFrame,
  postRequest,
  rawFrame,
  requestFields,
  resetFrame,
  settingsFrame,
  uint32,
  windowUpdateFrame,
} from './raw-frames.js';

const { concat, alloc } = Buffer;
const badConnection = ['connection PROTOCOL_ERROR'] as const;
const badSize = ['connection FRAME_SIZE_ERROR'] as const;
/** Truncated within a field: implementations disagree on the error. */
const cutOff: readonly Outcome[] = [...badSize, ...badConnection, 'closed'];
const block = encodeHeaderBlock(requestFields('/small'));
const half = block.length >>> 1;
/** A complete request without a response. */
const hang = getRequest(1, '/hang');
/** A request without a response whose body is still to come. */
const open = postRequest(1, '/hang');
const small = { bytes: getRequest(1, '/small'), endOf: 1 };
const maxWindow = 2 ** 31 - 1;

/** Frames that a client may send, by section of RFC 9113. */
export function frameCases(): readonly (readonly [section: string, cases: readonly Http2Case[]])[] {
  return [
    ['4 frames', anyFrames()],
    ['6.1 DATA', data()],
    ['6.2 HEADERS', headers()],
    ['6.3 PRIORITY', priority()],
    ['6.4 RST_STREAM', resets()],
    ['6.5 SETTINGS', settings()],
    ['6.6 PUSH_PROMISE', [{ name: 'a client that pushes', bytes: push(), expected: badConnection }]],
    ['6.7 PING', pings()],
    ['6.8 GOAWAY', goaways()],
    ['6.9 WINDOW_UPDATE', windowUpdates()],
    ['6.10 CONTINUATION', continuations()],
  ];
}

function anyFrames(): readonly Http2Case[] {
  return [
    {
      name: 'an unknown type',
      bytes: concat([rawFrame(0xbe, 0xff, 0, alloc(100)), small.bytes]),
      expected: ['responded 200'],
    },
    {
      name: 'an unknown type on a stream',
      bytes: concat([open, rawFrame(0xef, 1, 1, alloc(3))]),
      expected: ['ignored'],
    },
    { name: 'an unknown type on an idle stream', bytes: rawFrame(0xef, 0, 77), expected: ['ignored'] },
    {
      name: 'the reserved bit beside a stream',
      bytes: rawFrame(FrameType.headers, FrameFlag.endHeaders | FrameFlag.endStream, 0x80000001, block),
      expected: ['responded 200'],
    },
    {
      name: 'a frame larger than agreed',
      bytes: ({ serverSettings }) => concat([open, dataFrame(1, alloc(serverSettings.maxFrameSize + 1))]),
      expected: badSize,
    },
    {
      name: 'headers larger than agreed',
      bytes: ({ serverSettings }) => blockFrame(1, alloc(serverSettings.maxFrameSize + 1)),
      expected: badSize,
    },
    {
      name: 'headers as large as agreed',
      bytes: ({ serverSettings }) => blockFrame(1, blockOf(serverSettings.maxFrameSize)),
      expected: ['responded 200'],
    },
    {
      name: 'data as large as agreed, padded',
      bytes: ({ serverSettings }) =>
        concat([
          postRequest(1, '/echo'),
          paddedDataFrame(1, alloc(serverSettings.maxFrameSize - 101), 100, true),
          windows(1),
        ]),
      expected: ['responded 200'],
    },
    {
      name: 'as large a frame as any server takes, undefined flags in it',
      bytes: concat([postRequest(1, '/echo'), rawFrame(FrameType.data, 0xd6 | FrameFlag.endStream, 1, alloc(16_384))]),
      expected: ['responded 200'],
    },
  ];
}

/** A request with a header block of this size. */
function blockOf(bytes: number): Buffer {
  const blockWith = (length: number) => encodeHeaderBlock([...requestFields('/small'), ['x', 'v'.repeat(length)]]);
  return blockWith(2 * bytes - blockWith(bytes).length);
}

function data(): readonly Http2Case[] {
  return [
    { name: 'on no stream', bytes: dataFrame(0, 'x'), expected: badConnection },
    { name: 'on an idle stream', bytes: dataFrame(1, 'x'), expected: badConnection },
    { name: 'on an even stream', bytes: dataFrame(2, 'x'), expected: badConnection },
    { name: 'behind the end', bytes: concat([hang, dataFrame(1, 'x')]), expected: ['stream STREAM_CLOSED'] },
    {
      name: 'behind the end, nothing in it',
      bytes: concat([hang, dataFrame(1, '')]),
      expected: ['stream STREAM_CLOSED'],
    },
    {
      name: 'on a stream that is over',
      first: small,
      bytes: dataFrame(1, 'x'),
      expected: ['stream STREAM_CLOSED', 'connection STREAM_CLOSED', 'responded 200'],
    },
    {
      name: 'on a stream that the client has reset',
      bytes: concat([open, resetFrame(1), dataFrame(1, 'x')]),
      expected: ['stream STREAM_CLOSED', 'connection STREAM_CLOSED'],
    },
    { name: 'more padding than data', bytes: concat([open, padded(FrameType.data, 5, 4)]), expected: badConnection },
    {
      name: 'nothing where padding is declared',
      bytes: concat([open, rawFrame(0, FrameFlag.padded, 1)]),
      expected: cutOff,
    },
    {
      name: 'nothing but padding',
      bytes: concat([postRequest(1, '/echo'), paddedDataFrame(1, '', 255, true)]),
      expected: ['responded 200'],
    },
  ];
}

/** A frame with this declared padding, followed by this number of bytes. */
function padded(type: number, padding: number, bytes: number, flags = 0): Buffer {
  return rawFrame(type, FrameFlag.padded | flags, 1, concat([Buffer.of(padding), alloc(bytes)]));
}

function headers(): readonly Http2Case[] {
  const whole = FrameFlag.endHeaders | FrameFlag.endStream;
  const withPriority = (priority: Buffer) =>
    rawFrame(FrameType.headers, whole | FrameFlag.priority, 1, concat([priority, block]));
  return [
    { name: 'on no stream', bytes: blockFrame(0, block), expected: badConnection },
    { name: 'on an even stream', bytes: blockFrame(2, block), expected: badConnection },
    {
      name: 'on a stream before the last',
      bytes: concat([getRequest(5, '/hang'), blockFrame(3, block)]),
      expected: badConnection,
    },
    {
      name: 'on a stream that is over',
      first: small,
      bytes: blockFrame(1, block),
      expected: [...badConnection, 'connection STREAM_CLOSED'],
    },
    { name: 'behind the end', bytes: concat([hang, blockFrame(1, block)]), expected: ['stream STREAM_CLOSED'] },
    { name: 'more padding than headers', bytes: padded(FrameType.headers, 200, 100, whole), expected: badConnection },
    { name: 'nothing where padding is declared', bytes: rawFrame(1, whole | FrameFlag.padded, 1), expected: cutOff },
    {
      name: 'a priority that is cut off',
      bytes: rawFrame(1, whole | FrameFlag.priority, 1, alloc(4)),
      expected: cutOff,
    },
    {
      name: 'padding, and a priority',
      bytes: rawFrame(
        FrameType.headers,
        whole | FrameFlag.priority | FrameFlag.padded,
        1,
        concat([Buffer.of(30), uint32(3), Buffer.of(7), block, alloc(30)]),
      ),
      expected: ['responded 200'],
    },
    {
      name: 'a stream that waits for itself',
      bytes: withPriority(concat([uint32(1), Buffer.of(1)])),
      expected: ['stream PROTOCOL_ERROR'],
    },
  ];
}

function priority(): readonly Http2Case[] {
  const frame = (stream: number, dependency = 0) =>
    rawFrame(FrameType.priority, 0, stream, concat([uint32(dependency), Buffer.of(1)]));
  return [
    { name: 'of the connection', bytes: frame(0), expected: badConnection },
    { name: 'of an idle stream', bytes: frame(7), stream: 7, expected: ['ignored'] },
    { name: 'of an open stream', bytes: concat([open, frame(1, 3)]), expected: ['ignored'] },
    { name: 'of a stream that is over', first: small, bytes: frame(1), expected: ['ignored'] },
    {
      name: 'of a stream that waits for itself',
      bytes: concat([open, frame(1, 1)]),
      expected: ['stream PROTOCOL_ERROR'],
    },
    {
      name: 'of another length',
      bytes: concat([open, rawFrame(FrameType.priority, 0, 1, alloc(4))]),
      expected: ['stream FRAME_SIZE_ERROR', ...badSize],
    },
  ];
}

function resets(): readonly Http2Case[] {
  return [
    { name: 'of the connection', bytes: resetFrame(0), expected: badConnection },
    { name: 'of an idle stream', bytes: resetFrame(1), expected: badConnection },
    { name: 'of an open stream', bytes: concat([open, resetFrame(1)]), expected: ['ignored'] },
    { name: 'of a stream that is over', first: small, bytes: resetFrame(1), expected: ['ignored'] },
    { name: 'twice', bytes: concat([open, resetFrame(1), resetFrame(1)]), expected: ['ignored'] },
    { name: 'with an unknown code', bytes: concat([open, resetFrame(1, 0xffffffff)]), expected: ['ignored'] },
    { name: 'of another length', bytes: concat([open, rawFrame(FrameType.reset, 0, 1, alloc(3))]), expected: badSize },
  ];
}

function settings(): readonly Http2Case[] {
  const one = (id: number, value: number) => settingsFrame([id, value]);
  return [
    { name: 'on a stream', bytes: rawFrame(FrameType.settings, 0, 1), expected: badConnection },
    { name: 'of another length', bytes: rawFrame(FrameType.settings, 0, 0, alloc(5)), expected: badSize },
    { name: 'acknowledged with settings', bytes: rawFrame(4, FrameFlag.ack, 0, alloc(6)), expected: badSize },
    {
      name: 'acknowledged that were never sent',
      bytes: concat([rawFrame(4, FrameFlag.ack, 0), rawFrame(4, FrameFlag.ack, 0)]),
      expected: badConnection,
    },
    { name: 'pushes wanted by half', bytes: one(Setting.enablePush, 2), expected: badConnection },
    { name: 'pushes wanted', bytes: one(Setting.enablePush, 1), expected: ['ignored'] },
    {
      name: 'a window too large',
      bytes: one(Setting.initialWindowSize, 2 ** 31),
      expected: ['connection FLOW_CONTROL_ERROR'],
    },
    { name: 'the largest window', bytes: one(Setting.initialWindowSize, maxWindow), expected: ['ignored'] },
    {
      name: 'a window that makes an enlarged one too large',
      bytes: concat([open, windowUpdateFrame(1, 2 ** 30), one(Setting.initialWindowSize, maxWindow)]),
      expected: ['connection FLOW_CONTROL_ERROR'],
    },
    { name: 'frames too small', bytes: one(Setting.maxFrameSize, 16_383), expected: badConnection },
    { name: 'frames too large', bytes: one(Setting.maxFrameSize, 2 ** 24), expected: badConnection },
    { name: 'the largest frames', bytes: one(Setting.maxFrameSize, 2 ** 24 - 1), expected: ['ignored'] },
    { name: 'unknown', bytes: settingsFrame([0x4141, 1], [0, 5], [0xffff, 0xffffffff]), expected: ['ignored'] },
    { name: 'none', bytes: settingsFrame(), expected: ['ignored'] },
    { name: 'said twice', bytes: settingsFrame([0x4141, 1], [0x4141, 1]), expected: badConnection },
    { name: 'a hundred', bytes: unknownSettings(100), expected: ['ignored'] },
    { name: 'more than a hundred', bytes: unknownSettings(101), expected: badConnection },
  ];
}

function unknownSettings(count: number): Buffer {
  return settingsFrame(...Array.from({ length: count }, (_, index) => [0x4100 + index, 1] as const));
}

function push(): Buffer {
  return concat([hang, rawFrame(FrameType.pushPromise, FrameFlag.endHeaders, 1, concat([uint32(2), block]))]);
}

function pings(): readonly Http2Case[] {
  return [
    { name: 'on a stream', bytes: rawFrame(FrameType.ping, 0, 1, alloc(8)), expected: badConnection },
    { name: 'too short', bytes: rawFrame(FrameType.ping, 0, 0, alloc(7)), expected: badSize },
    { name: 'too long', bytes: rawFrame(FrameType.ping, 0, 0, alloc(9)), expected: badSize },
    { name: 'an acknowledgement of none', bytes: rawFrame(6, FrameFlag.ack, 0, alloc(8)), expected: ['ignored'] },
    { name: 'with undefined flags', bytes: rawFrame(FrameType.ping, 0xfe, 0, alloc(8)), expected: ['ignored'] },
  ];
}

function goaways(): readonly Http2Case[] {
  return [
    { name: 'on a stream', bytes: rawFrame(FrameType.goaway, 0, 1, alloc(8)), expected: badConnection },
    { name: 'too short', bytes: rawFrame(FrameType.goaway, 0, 0, alloc(7)), expected: badSize },
    {
      name: 'while something is asked for',
      bytes: concat([getRequest(1, '/large'), rawFrame(7, 0, 0, concat([alloc(8), Buffer.from('bye')])), windows(1)]),
      expected: ['responded 200'],
    },
  ];
}

/** As much credit as possible. */
function windows(stream: number): Buffer {
  return concat([windowUpdateFrame(0, 2 ** 30), windowUpdateFrame(stream, 2 ** 30)]);
}

function windowUpdates(): readonly Http2Case[] {
  const overflow = 'FLOW_CONTROL_ERROR';
  return [
    { name: 'too short', bytes: rawFrame(FrameType.windowUpdate, 0, 0, alloc(3)), expected: badSize },
    { name: 'too long', bytes: rawFrame(FrameType.windowUpdate, 0, 0, alloc(5)), expected: badSize },
    { name: 'by nothing', bytes: windowUpdateFrame(0, 0), expected: badConnection },
    {
      name: 'by nothing, of a stream',
      bytes: concat([open, windowUpdateFrame(1, 0)]),
      expected: ['stream PROTOCOL_ERROR'],
    },
    { name: 'by too much', bytes: windowUpdateFrame(0, maxWindow), expected: [`connection ${overflow}`] },
    {
      name: 'by too much, of a stream',
      bytes: concat([open, windowUpdateFrame(1, maxWindow)]),
      expected: [`stream ${overflow}`],
    },
    {
      name: 'by too much in the end',
      bytes: concat([open, ...Array.from({ length: 2 ** 7 }, () => windowUpdateFrame(1, 2 ** 24))]),
      expected: [`stream ${overflow}`],
    },
    { name: 'with the reserved bit', bytes: windowUpdateFrame(0, 0x80000001), expected: ['ignored'] },
    { name: 'of an idle stream', bytes: windowUpdateFrame(1, 1), expected: badConnection },
    { name: 'of a stream that is over', first: small, bytes: windowUpdateFrame(1, 1), expected: ['ignored'] },
    {
      name: 'of a stream that was reset',
      bytes: concat([open, resetFrame(1), windowUpdateFrame(1, 1)]),
      expected: ['ignored'],
    },
    {
      name: 'of a stream whose request is whole',
      bytes: concat([hang, windowUpdateFrame(1, 1)]),
      expected: ['ignored'],
    },
  ];
}

function continuations(): readonly Http2Case[] {
  const begin = blockFrame(1, block.subarray(0, half), { endHeaders: false });
  const rest = block.subarray(half);
  const bytewise = [...rest].map((byte, index) => continuationFrame(1, [byte], index === rest.length - 1));
  const broken = (name: string, ...frames: Buffer[]): Http2Case => ({
    name,
    bytes: concat([begin, ...frames]),
    expected: badConnection,
  });
  return [
    { name: 'of nothing', bytes: continuationFrame(1, rest, true), expected: badConnection },
    {
      name: 'of a block that is whole',
      bytes: concat([hang, continuationFrame(1, [], true)]),
      expected: badConnection,
    },
    broken('of another stream', continuationFrame(3, rest, true)),
    broken('of no stream', continuationFrame(0, rest, true)),
    broken('behind data', dataFrame(1, 'x'), continuationFrame(1, rest, true)),
    broken('behind a ping', pingFrame('x'), continuationFrame(1, rest, true)),
    broken('behind settings', settingsFrame(), continuationFrame(1, rest, true)),
    broken('behind a reset', resetFrame(1), continuationFrame(1, rest, true)),
    broken('behind an unknown frame', rawFrame(0xbe, 0, 1), continuationFrame(1, rest, true)),
    broken('behind other headers', headersFrame(3, requestFields('/small'))),
    { name: 'byte by byte', bytes: concat([begin, ...bytewise]), expected: ['responded 200'] },
    {
      name: 'of nothing, with nothing, and then the rest',
      bytes: concat([
        blockFrame(1, [], { endHeaders: false }),
        continuationFrame(1, [], false),
        continuationFrame(1, block, true),
      ]),
      expected: ['responded 200'],
    },
  ];
}
