import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { type BackendLocation, type BackendTransport, requestTarget } from '../backend/backend.js';
import { dial } from '../backend/dial.js';
import { dialErrorText } from '../backend/dial-error.js';
import type { HeaderLines } from './forwarded-headers.js';
import { type ResponseHead, readResponseHead } from './response-head.js';

/** A request that asks a backend for an upgrade. */
export interface UpgradeAsked {
  readonly method: string;
  readonly host: string;
  readonly headers: HeaderLines;
}

/** What a backend answered. The socket is paused; `rest` came behind the head. */
export interface UpgradeAnswer {
  readonly socket: Duplex;
  readonly head: ResponseHead;
  readonly rest: Buffer;
}

/** A backend could not be asked; `message` is for the client, `cause` what happened. */
export class UpgradeFailure extends Error {
  override readonly name = 'UpgradeFailure';
  /** What Go's net would say. */
  readonly reason: string;

  constructor(message: string, reason: string, cause: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Asks a backend for an upgrade. Throws an UpgradeFailure when there is no answer, and `signal.reason`. */
export async function openUpgrade(
  location: BackendLocation,
  transport: BackendTransport,
  asked: UpgradeAsked,
  signal: AbortSignal,
): Promise<UpgradeAnswer> {
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
    socket.write(requestHead(location, asked));
    const { head, rest } = await readResponseHead(socket);
    return { socket, head, rest };
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    const reason = error instanceof Error ? error.message : String(error);
    throw new UpgradeFailure(reason, reason, error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function requestHead(location: BackendLocation, { method, host, headers }: UpgradeAsked): Buffer {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
  const head = [`${method} ${requestTarget(location) || '/'} HTTP/1.1`, `Host: ${host}`, ...lines, '', ''];
  return Buffer.from(head.join('\r\n'), 'latin1');
}
