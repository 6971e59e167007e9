import type { Duplex } from 'node:stream';
import { FrameType } from '../frames/frame-types.js';
import { FrameWriter } from '../frames/frame-writer.js';
import { GOAWAY_MS } from './end-socket.js';

/**
 * Sends a client away before HTTP/2 has begun: with one GOAWAY, its code and the reason, and without settings. Takes the
 * socket over. Upstream: rejectConn in golang.org/x/net/http2/server.go
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
  // A socket closed on unread bytes, of the preface, loses what it has sent.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), GOAWAY_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
