import type { ServerResponse } from 'node:http';
import { type SlowReader, SocketProgress, type UnreadBytes } from '@apiserver/http2';
import { pumpChunks } from '../transport/chunk-pump.js';
import { WritableSink } from './writable-sink.js';

/** Size of the slices of a large body. */
const SLICE = 64 * 1024;

/** A large body that its client has not read yet. */
class LargeBody implements SlowReader {
  readonly #response: ServerResponse;
  readonly #unread: UnreadBytes;
  unreadBytes: number;
  /** The progress of the socket since the last slice. It accepts the next slice only after this one. */
  readonly #progress: SocketProgress | undefined;
  #handed = 0;

  constructor(response: ServerResponse, bytes: number, unread: UnreadBytes) {
    this.#response = response;
    this.#unread = unread;
    this.unreadBytes = bytes;
    this.#progress = response.socket === null ? undefined : new SocketProgress(response.socket);
    this.#progress?.restart(performance.now());
    unread.addReader(this);
    unread.add(bytes);
    response.once('close', () => this.#leave());
  }

  stuckSince(now: number): number | undefined {
    return this.#progress?.stuckSince(now);
  }

  /** Records the next slice. The socket has accepted the previous one. */
  hand(bytes: number): void {
    this.#taken(this.#handed);
    this.#handed = bytes;
    this.#progress?.restart(performance.now());
  }

  cutOff(): void {
    // The response closes in a later turn. Until then its bytes would cut off other clients.
    this.#leave();
    this.#response.destroy();
  }

  #leave(): void {
    this.#unread.removeReader(this);
    this.#taken(this.unreadBytes);
  }

  #taken(bytes: number): void {
    this.unreadBytes -= bytes;
    this.#unread.add(-bytes);
  }
}

/** Sends a body slice by slice, which shows whether its client reads. Resolves like `pumpChunks`. */
export async function sendLargeBody(
  body: Uint8Array,
  response: ServerResponse,
  { unread, count }: { readonly unread: UnreadBytes; readonly count: (bytes: number) => void },
): Promise<void> {
  const reader = new LargeBody(response, body.length, unread);
  await pumpChunks(slicesOf(body), new WritableSink(response), (bytes) => {
    reader.hand(bytes);
    count(bytes);
  });
}

function* slicesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < body.length; at += SLICE) yield body.subarray(at, at + SLICE);
}

/** True for a body that is sent in slices. */
export function isLargeBody(body: Uint8Array): boolean {
  return body.length > 4 * SLICE;
}
