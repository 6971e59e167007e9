import { Buffer } from 'node:buffer';

/** Types of control frames. Upstream: section 2.6 of the SPDY/3 draft */
export const frameType = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** Set on the sender's last frame of a stream. */
export const FLAG_FIN = 1;

/** Data of a stream. */
interface DataFrame {
  readonly kind: 'data';
  readonly streamId: number;
  readonly fin: boolean;
  readonly data: Uint8Array;
}

/** Any other frame; `body` follows the eight bytes of the frame header. */
export interface ControlFrame {
  readonly kind: 'control';
  /** One of `frameType`, or an unknown type. */
  readonly type: number;
  /** In [0, 256). */
  readonly flags: number;
  readonly body: Uint8Array;
}

/** A frame of SPDY/3.1. */
export type Frame = DataFrame | ControlFrame;

/** Length of a frame header in bytes. */
export const HEAD_BYTES = 8;
/** Maximum length of a frame body: the header's field has 24 bits. */
export const MAX_BODY_BYTES = 2 ** 24 - 1;

const VERSION = 3;
const CONTROL_BIT = 0x80;

/** Serializes a frame. Throws a RangeError if the body is too long. */
export function encodeFrame(frame: Frame): Buffer {
  const body = frame.kind === 'data' ? frame.data : frame.body;
  const encoded = Buffer.allocUnsafe(HEAD_BYTES + body.length);
  if (frame.kind === 'data') {
    encoded.writeUInt32BE(frame.streamId, 0);
    encoded.writeUInt8(frame.fin ? FLAG_FIN : 0, 4);
  } else {
    encoded.writeUInt16BE((CONTROL_BIT << 8) | VERSION, 0);
    encoded.writeUInt16BE(frame.type, 2);
    encoded.writeUInt8(frame.flags, 4);
  }
  encoded.writeUIntBE(body.length, 5, 3);
  encoded.set(body, HEAD_BYTES);
  return encoded;
}

/** Parses a frame header; `body` has the length that the header announces. */
export function decodeFrame(head: Buffer, body: Uint8Array): Frame {
  const flags = head.readUInt8(4);
  if ((head.readUInt8(0) & CONTROL_BIT) === 0) {
    return { kind: 'data', streamId: head.readUInt32BE(0), fin: (flags & FLAG_FIN) !== 0, data: body };
  }
  return { kind: 'control', type: head.readUInt16BE(2), flags, body };
}

/** The length of the body that a header announces. */
export function bodyLength(head: Buffer): number {
  return head.readUIntBE(5, 3);
}

/** A body of 32-bit numbers: RST_STREAM (stream, status), PING (id), GOAWAY (last stream, status). */
export function encodeNumbers(...values: readonly number[]): Buffer {
  const body = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) body.writeUInt32BE(value, at * 4);
  return body;
}

/** The stream ID of a control frame: the first number of its body, without the reserved bit. */
export function streamIdOf({ body }: ControlFrame): number {
  return body.length < 4 ? 0 : Buffer.from(body).readUInt32BE(0) & 0x7fff_ffff;
}
