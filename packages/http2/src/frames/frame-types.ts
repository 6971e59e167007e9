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

/** Bits of a frame's flags; `ack` is that of settings and pings. */
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

/** Bytes before every frame's payload. */
export const FRAME_HEADER = 9;
/** What a frame's payload may have as long as nobody says otherwise. */
export const DEFAULT_FRAME_SIZE = 16_384;
/** Bytes of the table that header blocks refer to, as long as nobody says otherwise; we never do. */
export const DEFAULT_TABLE_SIZE = 4096;
/** What may be sent on a stream, and on a connection, before the other side has said anything. */
export const DEFAULT_WINDOW = 65_535;

/** The other side broke the protocol: the connection ends. */
export class Http2Error extends Error {
  readonly http2Code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'Http2Error';
    this.http2Code = code;
  }
}

/** The other side did what ends a stream, and no more than that. */
export class Http2StreamError extends Error {
  readonly http2Code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'Http2StreamError';
    this.http2Code = code;
  }
}
