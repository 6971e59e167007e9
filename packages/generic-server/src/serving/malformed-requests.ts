import type { ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '@apiserver/apiserver-contracts';

/**
 * A connection that is closed with bytes unread is reset, and the client may lose the answer: so the rest is read away for
 * a moment. Upstream: net/http.rstAvoidanceDelay
 */
const lingerTime = 500;

/**
 * Answers HTTP/1 that cannot be parsed, and ends the connection: 431 for a head that is too large, silence for one that
 * never ends, 400 for the rest.
 * Upstream: net/http/server.go, conn.serve
 */
export function refuseMalformed(server: Server): void {
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: Error, socket: Duplex) => {
    // The parser complains again about every packet that is read away.
    if (refused.has(socket)) return;
    refused.add(socket);
    const code = 'code' in error ? error.code : undefined;
    const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    const silent = code === 'ERR_HTTP_REQUEST_TIMEOUT' || code === 'ECONNRESET';
    if (silent || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`);
    socket.resume();
    setTimeout(() => socket.destroy(), lingerTime).unref();
  });
}

/**
 * Answers 400 to a request that was parsed and is none all the same, with the `reason` in head and body, and ends the
 * connection. Upstream: net/http/server.go, conn.serve
 */
export function respondMalformed(response: ServerResponse, reason: string): void {
  response.sendDate = false;
  response.useChunkedEncodingByDefault = false;
  response.writeHead(400, reason, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(`400 ${reason}`);
}

const plainHttpAnswer = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Tells who speaks plain HTTP to this port so; logs every handshake that fails. */
export function answerPlainHttp(server: Server, logger: Logger): void {
  const raw = new WeakMap<object, Socket>();
  server.on('connection', (socket: Socket) => raw.set(socket, socket));
  server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
    logger.v(2)?.info('TLS handshake error', { remoteAddress: socket.remoteAddress, err: error.message });
    const code = 'code' in error ? error.code : undefined;
    const parent = '_parent' in socket ? socket._parent : undefined;
    const under = typeof parent === 'object' && parent !== null ? raw.get(parent) : undefined;
    if (code === 'ERR_SSL_HTTP_REQUEST' && under?.writable) under.end(plainHttpAnswer);
    else socket.destroy();
  });
}
