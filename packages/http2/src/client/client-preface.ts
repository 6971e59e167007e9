import { DEFAULT_WINDOW, FrameType, Setting } from '../frames/frame-types.js';
import { FrameWriter } from '../frames/frame-writer.js';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** Receive windows. A page of objects should not wait for window credit. */
export const STREAM_WINDOW = 4 * 2 ** 20;
export const CONNECTION_WINDOW = 32 * 2 ** 20;

/** The preface of a client: the magic bytes, its settings without push, and credit for the connection. */
export function clientPreface(): Uint8Array {
  const settings = Buffer.alloc(12);
  settings.writeUInt16BE(Setting.enablePush, 0);
  settings.writeUInt16BE(Setting.initialWindowSize, 6);
  settings.writeUInt32BE(STREAM_WINDOW, 8);
  const writer = new FrameWriter();
  writer.raw(Buffer.from(PREFACE));
  writer.frame(FrameType.settings, 0, 0, settings);
  writer.frame32(FrameType.windowUpdate, 0, CONNECTION_WINDOW - DEFAULT_WINDOW);
  return Buffer.concat(writer.take());
}
