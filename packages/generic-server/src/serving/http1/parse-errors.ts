import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { breakBody } from '../transport/broken-body.js';
import { badRequest, type Http1Refusal, unsupportedTransferEncoding } from './refusals.js';
import { lingerTime } from './unread-body.js';

/** The last request of a connection that could be read, and its answer. */
interface LastRequest {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Answers HTTP/1 that Node cannot read, and ends the connection: 431 for a head that is too large, silence for one that
 * never ends, 501 for a body in another encoding, 400 for the rest. What was asked before is answered first; who reads a body that
 * goes wrong hears of it.
 * Upstream: net/http/server.go, conn.serve
 */
export function refuseUnreadable(server: Server): void {
  const last = new WeakMap<Duplex, LastRequest>();
  const note = (message: IncomingMessage, response: ServerResponse): unknown =>
    last.set(message.socket, { message, response });
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) server.on(event, note);
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: Error, socket: Duplex) => {
    // The parser complains again about every packet that is read away.
    if (refused.has(socket)) return;
    refused.add(socket);
    const code = codeOf(error);
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' || code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else endAfter(last.get(socket), socket, code);
  });
}

/** The parser's; it has one code for an encoding that nobody knows and for a length beside it. */
function codeOf(error: Error): string {
  const { code, reason } = { code: '', reason: '', ...error };
  return code === 'HPE_INVALID_TRANSFER_ENCODING' && reason.includes('Content-Length')
    ? 'HPE_INVALID_CONTENT_LENGTH'
    : code;
}

function endAfter(before: LastRequest | undefined, socket: Duplex, code: string): void {
  if (before === undefined || before.response.writableFinished || before.response.destroyed) {
    end(socket, code);
    return;
  }
  const { message, response } = before;
  const isOwnBody = !message.complete;
  if (isOwnBody) {
    // Whatever follows is none of a next request; and who has said all may still listen.
    response.shouldKeepAlive = false;
    socket.allowHalfOpen = true;
    breakBody(message, bodyFault(code));
  }
  response.once('close', () => end(socket, isOwnBody ? '' : code));
}

/** `code` is the parser's; "": nothing is said. */
function end(socket: Duplex, code: string): void {
  if (socket.destroyed) return;
  // What comes behind the last request that the client has announced is nobody's.
  if (code === '' || code === 'HPE_CLOSED_CONNECTION') socket.end();
  else {
    const { status, reason, text } = refusalFor(code);
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`,
    );
  }
  socket.resume();
  setTimeout(() => socket.destroy(), lingerTime).unref();
}

function refusalFor(code: string): Http1Refusal {
  if (code === 'HPE_INVALID_TRANSFER_ENCODING') return unsupportedTransferEncoding();
  if (code !== 'HPE_HEADER_OVERFLOW') return badRequest();
  const reason = 'Request Header Fields Too Large';
  return { status: 431, reason, text: `431 ${reason}` };
}

/** Upstream: net/http/internal/chunked.go */
function bodyFault(code: string): string {
  if (code === 'HPE_INVALID_EOF_STATE') return 'unexpected EOF';
  return code === 'HPE_INVALID_CHUNK_SIZE' ? 'invalid byte in chunk length' : 'malformed chunked encoding';
}
