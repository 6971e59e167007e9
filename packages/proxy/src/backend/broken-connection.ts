import type { Buffer } from 'node:buffer';
import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { codeOf } from '@apiserver/apimachinery/errors';
import { malformedResponseText } from './malformed-response.js';

/**
 * Maximum size of a response's head, in bytes. The work on a larger one would hold the event loop. Upstream: 10 MiB, the
 * default of Go's http.Transport
 */
export const MAX_RESPONSE_HEAD_BYTES = 64 * 1024;

const BROKEN = 'net/http: HTTP/1.x transport connection broken: ';

/** Go's words for a connection that the other end broke. */
const WORDS: Readonly<Record<string, string>> = { ECONNRESET: 'connection reset by peer', EPIPE: 'broken pipe' };

/** Node's error, for a parser with the bytes that it could not parse. */
interface ConnectionError extends Error {
  readonly syscall?: string;
  readonly rawPacket?: Buffer;
}

/** A connection as it was when a request was sent on it. */
interface Connection {
  readonly socket: Socket;
  readonly bytesRead: number;
  /** The request could be written. */
  readonly isOpen: boolean;
  /** The turn has not ended in which the request got the connection. */
  isWriting: boolean;
  /** `127.0.0.1:1->127.0.0.1:2`; undefined until it is open. */
  ends: string | undefined;
}

/** Failures of requests, in the words of Go. */
const texts = new WeakMap<Error, string>();

/** Progress of a request whose kept connection the backend had closed: none of it was sent, or nothing came back. */
export type ClosedConnection = 'unwritten' | 'unanswered';

const closed = new WeakMap<Error, ClosedConnection>();

/** The text of Go for a request whose connection broke after it was open; undefined for other errors. */
export function brokenConnectionText(error: Error): string | undefined {
  return texts.get(error);
}

/** The progress of a request that failed because the backend closed a kept connection; undefined for other errors. */
export function closedConnection(error: unknown): ClosedConnection | undefined {
  return error instanceof Error ? closed.get(error) : undefined;
}

/** Lets the other functions tell why this request failed. */
export function watchConnection(request: ClientRequest): void {
  let connection: Connection | undefined;
  request.once('socket', (socket) => {
    const isOpen = socket.connecting || socket.writable;
    const opened: Connection = { socket, bytesRead: socket.bytesRead, isOpen, ends: endsOf(socket), isWriting: true };
    connection = opened;
    // The request is written in this turn, as far as the system takes it.
    setImmediate(() => (opened.isWriting = false));
    if (socket.connecting) socket.once('connect', () => (opened.ends = endsOf(socket)));
  });
  request.once('error', (error: ConnectionError) => {
    const text = connection && textOf(error, connection);
    // An aborted request fails with any value.
    if (text !== undefined) texts.set(error, text);
    const isReset = WORDS[codeOf(error) ?? ''] !== undefined;
    if (!isReset || !request.reusedSocket || connection === undefined || receivedOn(connection) > 0) return;
    closed.set(error, isUnwritten(error, connection) ? 'unwritten' : 'unanswered');
  });
}

/** True if no byte of the request was sent. Upstream: nothingWrittenError of Go's http.Transport */
function isUnwritten(error: ConnectionError, { isOpen, isWriting }: Connection): boolean {
  if (!isOpen) return true;
  // Node itself refuses to write after the end of the other side.
  if (error.syscall === undefined) return codeOf(error) === 'EPIPE';
  return error.syscall === 'write' && isWriting;
}

function receivedOn({ socket, bytesRead }: Connection): number {
  return socket.bytesRead - bytesRead;
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string | undefined {
  if (localAddress === undefined || remoteAddress === undefined) return undefined;
  return `${hostPort(localAddress, localPort)}->${hostPort(remoteAddress, remotePort)}`;
}

function hostPort(address: string, port: number | undefined): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Upstream: readLoop and mapRoundTripError of Go's http.Transport */
function textOf(error: ConnectionError, connection: Connection): string | undefined {
  const { ends } = connection;
  const received = receivedOn(connection);
  const { syscall, rawPacket } = error;
  const code = codeOf(error) ?? '';
  if (code === 'HPE_HEADER_OVERFLOW') {
    return `${BROKEN}net/http: server response headers exceeded ${MAX_RESPONSE_HEAD_BYTES} bytes; aborted`;
  }
  if (code.startsWith('HPE_')) {
    const fault = rawPacket?.length === received ? malformedResponseText(rawPacket) : undefined;
    return fault === undefined ? undefined : `${BROKEN}${fault}`;
  }
  const words = WORDS[code];
  if (words === undefined) return undefined;
  if (received > 0) return `${BROKEN}unexpected EOF`;
  if (syscall === undefined) return 'EOF';
  if (ends === undefined) return undefined;
  const text = `${syscall} tcp ${ends}: ${syscall}: ${words}`;
  return syscall === 'read' ? text : `${BROKEN}${text}`;
}
