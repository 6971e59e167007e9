import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import type { Logger } from '@apiserver/apiserver-contracts';

const PLAIN_HTTP_RESPONSE = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Logs a handshake that failed. */
export function logHandshakeError(logger: Logger, { remoteAddress }: Socket, { message }: Error): void {
  logger.v(2)?.info('TLS handshake error', { remoteAddress, err: message });
}

/** Responds to plain HTTP on the TLS port, and logs failed handshakes. */
export function respondToPlainHttp(server: Server, logger: Logger): void {
  const raw = new WeakMap<object, Socket>();
  server.on('connection', (socket: Socket) => raw.set(socket, socket));
  server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
    logHandshakeError(logger, socket, error);
    const code = 'code' in error ? error.code : undefined;
    const parent = '_parent' in socket ? socket._parent : undefined;
    const under = typeof parent === 'object' && parent !== null ? raw.get(parent) : undefined;
    if (code === 'ERR_SSL_HTTP_REQUEST' && under?.writable) under.end(PLAIN_HTTP_RESPONSE);
    else socket.destroy();
  });
}
