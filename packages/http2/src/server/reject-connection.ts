import type { Duplex } from 'node:stream';
import { FrameType } from '../frames/frame-types.js';
import { FrameWriter } from '../frames/frame-writer.js';
import { GOAWAY_MS } from './end-socket.js';

/**
 * Rejects a connection before HTTP/2 begins: with one GOAWAY that has a code and a reason, and without SETTINGS. Takes
 * ownership of the socket. Upstream: rejectConn in golang.org/x/net/http2/server.go
 */
export function rejectConnection(socket: Duplex, code: number, reason: string): void {
  const payload = Buffer.alloc(8 + reason.length);
  payload.writeUInt32BE(code, 4);
  payload.write(reason, 8, 'latin1');
  const writer = new FrameWriter();
  writer.frame(FrameType.goaway, 0, 0, payload);
  socket.on('error', () => {});
  for (const bytes of writer.take()) socket.write(bytes);
  socket.end();
  // Closing a socket with unread bytes (of the preface) discards its output.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), GOAWAY_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
