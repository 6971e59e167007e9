/** Upstream: RFC 9113, section 6 */
export const FrameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flag bits of frames. `ack` belongs to SETTINGS and PING. */
export const FrameFlag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

/** Upstream: RFC 9113, section 6.5.2 */
export const Setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Upstream: RFC 9113, section 7 */
export const Http2Code = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
} as const;

/** Length of a frame header in bytes. */
export const FRAME_HEADER = 9;
/** Initial value of SETTINGS_MAX_FRAME_SIZE. */
export const DEFAULT_FRAME_SIZE = 16_384;
/** Initial value of SETTINGS_HEADER_TABLE_SIZE, which this package never changes. */
export const DEFAULT_TABLE_SIZE = 4096;
/** Initial flow-control window of a stream and of a connection. */
export const DEFAULT_WINDOW = 65_535;

/** A connection error: the peer violated the protocol, and the connection ends. */
export class Http2Error extends Error {
  readonly http2Code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'Http2Error';
    this.http2Code = code;
  }
}

/** A stream error: only the stream ends. */
export class Http2StreamError extends Error {
  readonly http2Code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'Http2StreamError';
    this.http2Code = code;
  }
}
