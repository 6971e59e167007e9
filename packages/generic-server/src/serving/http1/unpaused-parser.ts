import type { Duplex } from 'node:stream';

/** Node's parser, seen from JavaScript. A parser serves many connections, one after the other. */
interface Parser {
  /** The connection that it reads; null between two connections. */
  readonly socket: object | null;
  pause(): void;
}

/** Connections whose parser must not pause. */
const unpaused = new WeakSet<object>();

/**
 * Lets the parser of a connection read all that arrives. To be called when Node's server has the connection.
 *
 * Node stops reading when a request arrives while an earlier response is still being written, and pauses the parser too.
 * TLS goes on all the same: it decrypts a read of 64 KiB to its end, in several parts. A paused parser refuses the next
 * part with "Parse Error: Paused", and the request is lost. The connection itself stays paused: at most 64 KiB follow.
 * Node: parserOnIncoming and onParserExecuteCommon in lib/_http_server.js, TLSWrap::ClearOut in src/crypto/crypto_tls.cc
 */
export function keepParsing(socket: Duplex): void {
  unpaused.add(socket);
  const parser: unknown = Reflect.get(socket, 'parser');
  if (!isParser(parser) || Object.hasOwn(parser, 'pause')) return;
  const pause = parser.pause.bind(parser);
  // Own property of the parser, which outlives the connection and may serve one of another server.
  parser.pause = () => {
    if (parser.socket === null || !unpaused.has(parser.socket)) pause();
  };
}

function isParser(value: unknown): value is Parser {
  return (
    typeof value === 'object' &&
    value !== null &&
    'socket' in value &&
    typeof Reflect.get(value, 'pause') === 'function'
  );
}
