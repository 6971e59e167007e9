import { Buffer } from 'node:buffer';
import { GrowingBytes } from '../backend/growing-bytes.js';
import type { BackendUpgradeResponse } from './open-upgrade.js';
import { headerOf } from './response-head.js';

/** Time limit for the body of a refusal, in milliseconds. Upstream: tryUpgrade in upgradeaware.go */
const BODY_TIMEOUT_MS = 10_000;
/** Maximum number of bytes of a refusal that are forwarded. */
const MAX_BODY_BYTES = 1024 * 1024;
const LAST_CHUNK = '0\r\n\r\n';

/**
 * The raw body of a response without an upgrade (chunked if sent so), as far as it arrives in time. Ends the socket.
 */
export function readResponseBody(response: BackendUpgradeResponse): Promise<Buffer> {
  const { socket, head, rest } = response;
  const declared = headerOf(head, 'content-length');
  const isChunked = headerOf(head, 'transfer-encoding').toLowerCase() === 'chunked';
  return new Promise((resolve) => {
    const body = new GrowingBytes();
    body.append(rest);
    const isWhole = () =>
      body.length >= MAX_BODY_BYTES ||
      (isChunked
        ? body.bytes.subarray(-LAST_CHUNK.length).toString('latin1') === LAST_CHUNK
        : body.length >= length(declared));
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(body.bytes);
    };
    const timer = setTimeout(finish, BODY_TIMEOUT_MS);
    if (isWhole()) {
      finish();
      return;
    }
    socket.on('data', (chunk: Buffer) => {
      body.append(chunk);
      if (isWhole()) finish();
    });
    socket.once('end', finish).once('close', finish);
    socket.resume();
  });
}

/** A body without its transfer coding. */
export function decodedBody({ head }: BackendUpgradeResponse, body: Buffer): Buffer {
  if (headerOf(head, 'transfer-encoding').toLowerCase() !== 'chunked') return body;
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = lineEnd === -1 ? 0 : Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) break;
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

function length(declared: string): number {
  return declared === '' ? Number.POSITIVE_INFINITY : Number(declared);
}
