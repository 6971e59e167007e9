import { FRAME_HEADER, FrameFlag, FrameType } from '../frames/frame-types.js';
import { encodeHeaderBlock } from '../hpack/header-block.js';

/** Names and values in the order sent. */
export type RawFields = readonly (readonly [name: string, value: string])[];

/** The connection preface of a client. */
export const clientPreface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** A frame, valid or not. */
export function rawFrame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array | readonly number[] = [],
): Buffer {
  const head = Buffer.alloc(FRAME_HEADER);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, Uint8Array.from(payload)]);
}

/** 32-bit numbers as bytes. */
export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, 4 * index);
  return bytes;
}

/** A SETTINGS frame. */
export function settingsFrame(...settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = settings.map(([id, value]) => Buffer.concat([Buffer.of(id >>> 8, id & 0xff), uint32(value)]));
  return rawFrame(FrameType.settings, 0, 0, Buffer.concat(payload));
}

/** A WINDOW_UPDATE frame; stream 0 is the connection. */
export function windowUpdateFrame(stream: number, by: number): Buffer {
  return rawFrame(FrameType.windowUpdate, 0, stream, uint32(by));
}

/** A RST_STREAM frame, by default with CANCEL. */
export function resetFrame(stream: number, code = 8): Buffer {
  return rawFrame(FrameType.reset, 0, stream, uint32(code));
}

/** A PING frame. */
export function pingFrame(payload: string): Buffer {
  return rawFrame(FrameType.ping, 0, 0, Buffer.from(payload.padEnd(8)));
}

/** A DATA frame without padding. */
export function dataFrame(stream: number, bytes: Uint8Array | string, endStream = false): Buffer {
  return rawFrame(FrameType.data, endStream ? FrameFlag.endStream : 0, stream, Buffer.from(bytes));
}

/** A DATA frame with up to 255 bytes of padding. */
export function paddedDataFrame(
  stream: number,
  bytes: Uint8Array | string,
  padding: number,
  endStream = false,
): Buffer {
  const payload = Buffer.concat([Buffer.of(padding), Buffer.from(bytes), Buffer.alloc(padding)]);
  return rawFrame(FrameType.data, FrameFlag.padded | (endStream ? FrameFlag.endStream : 0), stream, payload);
}

/** The fields of a request as clients send them. */
export function requestFields(path: string, method = 'GET', more: RawFields = []): RawFields {
  return [[':method', method], [':scheme', 'https'], [':authority', 'localhost'], [':path', path], ...more];
}

export interface HeadersFrameOptions {
  /** Default: true. */
  readonly endStream?: boolean;
  readonly endHeaders?: boolean;
}

/** A HEADERS frame of literals that are not indexed. */
export function headersFrame(stream: number, fields: RawFields, options: HeadersFrameOptions = {}): Buffer {
  return blockFrame(stream, encodeHeaderBlock(fields), options);
}

/** A HEADERS frame with a given block. */
export function blockFrame(
  stream: number,
  block: Uint8Array | readonly number[],
  { endStream = true, endHeaders = true }: HeadersFrameOptions = {},
): Buffer {
  const flags = (endStream ? FrameFlag.endStream : 0) | (endHeaders ? FrameFlag.endHeaders : 0);
  return rawFrame(FrameType.headers, flags, stream, block);
}

export function continuationFrame(stream: number, block: Uint8Array | readonly number[], endHeaders: boolean): Buffer {
  return rawFrame(FrameType.continuation, endHeaders ? FrameFlag.endHeaders : 0, stream, block);
}

/** A request without a body. */
export function getRequest(stream: number, path: string, more: RawFields = []): Buffer {
  return headersFrame(stream, requestFields(path, 'GET', more));
}

/** A request whose body follows. */
export function postRequest(stream: number, path: string, more: RawFields = []): Buffer {
  return headersFrame(stream, requestFields(path, 'POST', more), { endStream: false });
}
