import { DEFAULT_FRAME_SIZE, FrameFlag, FrameType, Http2Code, Http2Error, Setting } from './frame-types.js';

/** Largest flow-control window. Upstream: RFC 9113, section 6.9.1 */
const MAX_WINDOW = 2 ** 31 - 1;
/** Upstream: RFC 9113, section 6.5.2 */
const MAX_FRAME_SIZE = 2 ** 24 - 1;

const SETTING_BYTES = 6;
/** Upper limit for the settings of one frame. */
const MAX_SETTINGS = 100;

/** Throws Http2Error for a frame of wrong length, or a connection frame with a stream ID. */
export function checkFrame(type: number, flags: number, stream: number, length: number): void {
  const isOfConnection = type === FrameType.settings || type === FrameType.ping || type === FrameType.goaway;
  if (isOfConnection && stream !== 0) throw protocolError(`a frame of type ${type} has a stream ID`);
  if (isLength(type, flags, length)) return;
  throw new Http2Error(Http2Code.frameSizeError, `a frame of type ${type} has ${length} bytes`);
}

/** Upstream: RFC 9113, sections 6.4 to 6.9 */
function isLength(type: number, flags: number, length: number): boolean {
  if (type === FrameType.reset || type === FrameType.windowUpdate) return length === 4;
  if (type === FrameType.ping) return length === 8;
  if (type === FrameType.goaway) return length >= 8;
  if (type !== FrameType.settings) return true;
  return (flags & FrameFlag.ack) === 0 ? length % 6 === 0 : length === 0;
}

/**
 * Throws Http2Error for a SETTINGS frame with too many settings, or with a duplicate.
 * Upstream: processSettings in x/net/http2/server.go
 */
export function checkSettings(payload: Buffer): void {
  const count = payload.length / SETTING_BYTES;
  const ids = new Set<number>();
  for (let index = 0; index < count && count <= MAX_SETTINGS; index++)
    ids.add(payload.readUInt16BE(index * SETTING_BYTES));
  if (ids.size !== count) throw protocolError('too many or duplicate settings');
}

/** Throws Http2Error for a setting with an invalid value. */
export function checkSetting(id: number, value: number): void {
  if (id === Setting.enablePush && value > 1) throw protocolError('SETTINGS_ENABLE_PUSH must be 0 or 1');
  if (id === Setting.maxFrameSize && (value < DEFAULT_FRAME_SIZE || value > MAX_FRAME_SIZE)) {
    throw protocolError(`invalid maximum frame size: ${value}`);
  }
  if (id === Setting.initialWindowSize) enlarged(0, value);
}

/** The sum of a window and an increment. Throws Http2Error when it exceeds the largest window. */
export function enlarged(window: number, by: number): number {
  if (window + by > MAX_WINDOW) throw new Http2Error(Http2Code.flowControlError, 'a window is too large');
  return window + by;
}

export function protocolError(message: string): Http2Error {
  return new Http2Error(Http2Code.protocolError, message);
}
