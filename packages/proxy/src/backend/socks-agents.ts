import { once } from 'node:events';
import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf } from '@apiserver/apimachinery/errors';
import { hostOf } from './backend.js';
import { dialErrorText, ioTimeout } from './dial-error.js';
import type { SecureConnection } from './verified-tls.js';

/** Options of Node's agents that this file reads. */
interface Target {
  readonly host?: string | null | undefined;
  readonly port?: number | string | null | undefined;
}

type Connected = (error: Error | null, socket: Duplex) => void;

/** A connection that a SOCKS proxy did not make. Its message is that of Go. */
class SocksError extends Error {
  override readonly name = 'SocksError';
}

/** Go's words for what the package `socks` reports. Upstream: golang.org/x/net/internal/socks */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/NotAllowed/, 'unknown error connection not allowed by ruleset'],
  [/NetworkUnreachable/, 'unknown error network unreachable'],
  [/HostUnreachable/, 'unknown error host unreachable'],
  [/ConnectionRefused/, 'unknown error connection refused'],
  [/TTLExpired/, 'unknown error TTL expired'],
  [/CommandNotSupported/, 'unknown error command not supported'],
  [/AddressNotSupported/, 'unknown error address type not supported'],
  [/Failure/, 'unknown error general SOCKS server failure'],
  [/no accepted authentication/, 'no acceptable authentication methods'],
  [/Authentication failed/, 'username/password authentication failed'],
  [/timed out/, 'i/o timeout'],
  [/Socket closed/, 'EOF'],
];

/** True for the URL of a SOCKS proxy of version 5; both schemes leave names to the proxy, as in Go. */
export function isSocksProxy(proxy: string): boolean {
  return /^socks5h?:/.test(proxy);
}

/**
 * Agents whose connections a SOCKS proxy makes. `connectTimeout` in milliseconds.
 * Upstream: the dialer of Go's net/http for proxies of the schemes socks5 and socks5h
 */
export function socksAgents(
  proxy: string,
  connectTimeout: number,
  secure: SecureConnection,
  options: AgentOptions,
): { readonly http: HttpAgent; readonly https: HttpsAgent } {
  const dial = (target: Target) => dialThrough(new URL(proxy), target, connectTimeout);
  // The options of a request have those of its TLS connection, too.
  const secured = (target: object, socket: Socket) => secure(target, socket);
  const http = new HttpAgent(options);
  http.createConnection = (target, connected) => settle(dial(target), connected);
  const https = new HttpsAgent(options);
  https.createConnection = (target, connected) =>
    settle(
      dial(target).then((socket) => secured(target, socket)),
      connected,
    );
  return { http, https };
}

/** Node takes the connection from the callback when nothing is returned. Beside an error it reads none. */
function settle(made: Promise<Duplex | null | undefined>, connected: Connected | undefined): undefined {
  made.then(
    (socket) => socket && connected?.(null, socket),
    (error: unknown) => connected?.(error instanceof Error ? error : new SocksError(messageOf(error)), new Socket()),
  );
}

async function dialThrough(proxy: URL, { host, port }: Target, timeout: number): Promise<Socket> {
  const { SocksClient } = await import('socks');
  const address = { hostname: proxy.hostname.replace(/^\[|\]$/g, ''), port: proxy.port || '1080' };
  const destination = { host: host ?? '', port: Number(port) };
  const socket = await connectedTo(address, timeout).catch((error: unknown) => {
    const location = { scheme: 'http', path: '', rawQuery: '', ...address } as const;
    throw failure(address, destination, dialErrorText(error, location));
  });
  try {
    await SocksClient.createConnection({
      command: 'connect',
      destination,
      existing_socket: socket,
      proxy: { host: address.hostname, port: Number(address.port), type: 5, ...credentialsOf(proxy) },
      timeout,
    });
    return socket;
  } catch (error) {
    socket.destroy();
    const text = messageOf(error);
    throw failure(address, destination, REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? text);
  }
}

async function connectedTo({ hostname, port }: { hostname: string; port: string }, timeout: number): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setTimeout(timeout, () => socket.destroy(ioTimeout()));
  await once(socket, 'connect');
  socket.setTimeout(0);
  return socket;
}

function credentialsOf({ username, password }: URL): { readonly userId?: string; readonly password?: string } {
  if (username === '') return {};
  return { userId: decodeURIComponent(username), password: decodeURIComponent(password) };
}

function failure(
  address: { readonly hostname: string; readonly port: string },
  destination: { readonly host: string; readonly port: number },
  reason: string,
): SocksError {
  const target = hostOf({ hostname: destination.host, port: String(destination.port) });
  return new SocksError(`socks connect tcp ${hostOf(address)}->${target}: ${reason}`);
}
