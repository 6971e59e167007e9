import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Passes each chunk that a socket receives to `take`, as a listener for `data` does.
 *
 * After each chunk, a stream of Node schedules a call that asks its source for more. A socket reads on without it, until
 * `push` returns false. TLS makes a chunk of each record, so a flowing socket gives its chunks to `take` directly. All else is
 * left to the stream: the first chunk, chunks that come while it is paused or has buffered some, and the end.
 *
 * Node: onStreamRead in lib/internal/stream_base_commons.js, addChunk and maybeReadMore in lib/internal/streams/readable.js
 */
export function receiveChunks(socket: Duplex, take: (chunk: Buffer) => void): void {
  socket.on('data', take);
  // Other streams are asked for each chunk.
  if (!(socket instanceof Socket)) return;
  const push = socket.push.bind(socket);
  // V8 makes a function in the old generation if its literal is assigned to a member. This one would keep a closed connection.
  const pass = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!(chunk instanceof Buffer) || chunk.length === 0 || !mayPass(socket)) return push(chunk, encoding);
    take(chunk);
    return true;
  };
  socket.push = pass;
}

/** True if the stream would emit a chunk at once. */
function mayPass(socket: Socket): boolean {
  return socket.readableFlowing === true && socket.readableLength === 0 && socket.readableDidRead && !socket.destroyed;
}
