import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { breakBody } from '../transport/broken-body.js';
import { badRequest, type Http1Refusal, unsupportedTransferEncoding } from './refusals.js';
import { LINGER_MS } from './unread-body.js';

/** The last well-formed request of a connection, with its response. */
interface LastRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Responds to malformed HTTP/1 and ends the connection. A head that is too large gets 431, an unknown transfer encoding
 * 501, other faults 400. An incomplete head gets no response. Responses to earlier requests leave first. The reader of
 * a malformed body gets an error. `isPaused`: true for a connection whose bytes are held here, so that a head has no end.
 * Upstream: net/http/server.go, conn.serve
 */
export function refuseUnreadable(server: Server, isPaused: (socket: Duplex) => boolean = () => false): void {
  const last = new WeakMap<Duplex, LastRequest>();
  const note = (message: IncomingMessage, response: ServerResponse): unknown =>
    last.set(message.socket, { message, response });
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.on(event, note);
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: Error, socket: Duplex) => {
    // The parser reports an error for every later packet too.
    if (refused.has(socket)) return;
    const code = codeOf(error);
    const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (isLate && isPaused(socket)) return;
    refused.add(socket);
    if (isLate || code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else endAfter(last.get(socket), socket, { code, message: error.message });
  });
}

/**
 * The error code of the parser. It has one code for both an unknown encoding and a length in addition to an encoding.
 */
function codeOf(error: Error): string {
  const { code, reason } = { code: '', reason: '', ...error };
  return code === 'HPE_INVALID_TRANSFER_ENCODING' && reason.includes('Content-Length')
    ? 'HPE_INVALID_CONTENT_LENGTH'
    : code;
}

/** An error of a connection: its code, or that of the parser, and its text. */
interface ClientFault {
  readonly code: string;
  readonly message: string;
}

function endAfter(before: LastRequest | undefined, socket: Duplex, fault: ClientFault): void {
  const { code } = fault;
  if (before === undefined || before.response.writableFinished || before.response.destroyed) {
    end(socket, code);
    return;
  }
  const { message, response } = before;
  const isOwnBody = !message.complete;
  if (isOwnBody) {
    // Later bytes are not a request. A client that has ended its side may still read.
    response.shouldKeepAlive = false;
    socket.allowHalfOpen = true;
    breakBody(message, bodyFault(message, fault));
  }
  response.once('close', () => end(socket, isOwnBody ? '' : code));
}

/** `code`: error code of the parser; "": no response. */
function end(socket: Duplex, code: string): void {
  if (socket.destroyed) return;
  // Bytes after the last announced request are ignored.
  if (code === '' || code === 'HPE_CLOSED_CONNECTION') socket.end();
  else {
    const { status, reason, text } = refusalFor(code);
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`,
    );
  }
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function refusalFor(code: string): Http1Refusal {
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return unsupportedTransferEncoding();
  if (code !== 'HPE_HEADER_OVERFLOW') return badRequest();
  const reason = 'Request Header Fields Too Large';
  return { status: 431, reason, text: `431 ${reason}` };
}

/** Only a body in chunks has faults of chunks. Upstream: net/http/internal/chunked.go */
function bodyFault({ headers }: IncomingMessage, { code, message }: ClientFault): string {
  if (code === 'HPE_INVALID_EOF_STATE') return 'unexpected EOF';
  if (headers['transfer-encoding'] === undefined || !code.startsWith('HPE_')) return message;
  return code === 'HPE_INVALID_CHUNK_SIZE' ? 'invalid byte in chunk length' : 'malformed chunked encoding';
}
