import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type BackendLocation, type BackendTransport, requestTarget } from '../backend/backend.js';
import { dial } from '../backend/dial.js';
import { dialErrorText } from '../backend/dial-error.js';
import type { HeaderLines } from './forwarded-headers.js';
import { type ResponseHead, readResponseHead } from './response-head.js';

/** An upgrade request to a backend. */
export interface BackendUpgradeRequest {
  readonly method: string;
  readonly host: string;
  readonly headers: HeaderLines;
}

/** The response of a backend. The socket is paused; `rest` holds the bytes after the response head. */
export interface BackendUpgradeResponse {
  readonly socket: Duplex;
  readonly head: ResponseHead;
  readonly rest: Buffer;
}

/** A failed upgrade request; `message` is for the client, `cause` is the original error. */
export class UpgradeFailure extends Error {
  override readonly name = 'UpgradeFailure';
  /** The failure in the words of Go's net. */
  readonly reason: string;

  constructor(message: string, reason: string, cause: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Sends an upgrade request to a backend. Throws an UpgradeFailure if there is no response, or `signal.reason`. */
export async function openUpgrade(
  location: BackendLocation,
  transport: BackendTransport,
  requested: BackendUpgradeRequest,
  signal: AbortSignal,
): Promise<BackendUpgradeResponse> {
  let socket: Duplex;
  try {
    socket = await dial(location, transport, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const reason = dialErrorText(error, location);
    throw new UpgradeFailure(`error dialing backend: ${reason}`, reason, error);
  }
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    socket.write(requestHead(location, requested));
    const { head, rest } = await readResponseHead(socket);
    return { socket, head, rest };
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    const reason = messageOf(error);
    throw new UpgradeFailure(reason, reason, error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function requestHead(location: BackendLocation, { method, host, headers }: BackendUpgradeRequest): Buffer {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${inLine(one)}`),
  );
  const head = [`${method} ${requestTarget(location) || '/'} HTTP/1.1`, `Host: ${host}`, ...lines, '', ''];
  return Buffer.from(head.join('\r\n'));
}

/** A user's name may have line ends, which would begin another header. Upstream: headerNewlineToSpace of net/http */
function inLine(value: string): string {
  return value.replaceAll(/[\r\n]/g, ' ').trim();
}
