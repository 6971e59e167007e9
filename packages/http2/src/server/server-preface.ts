import { DEFAULT_TABLE_SIZE, DEFAULT_WINDOW, FrameType, Setting } from '../frames/frame-types.js';
import type { Http2ServerContext } from './http2-server-context.js';
import type { ResponseSender } from './response-sender.js';

/**
 * Sends the preface of a server: its settings, and credit for the window of the connection.
 * Upstream: serve in x/net/http2/server.go
 */
export function sendPreface(sender: ResponseSender, context: Http2ServerContext): void {
  const settings = [
    [Setting.maxFrameSize, context.maxFrameSize],
    [Setting.maxConcurrentStreams, context.maxConcurrentStreams],
    [Setting.maxHeaderListSize, context.maxHeaderListSize],
    [Setting.headerTableSize, DEFAULT_TABLE_SIZE],
    [Setting.initialWindowSize, context.initialWindowSize],
  ] as const;
  const payload = Buffer.alloc(settings.length * 6);
  settings.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  });
  sender.output.frame(FrameType.settings, 0, 0, payload);
  sender.output.frame32(FrameType.windowUpdate, 0, context.connectionWindow - DEFAULT_WINDOW);
  sender.flushSoon();
}
