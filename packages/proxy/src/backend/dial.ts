import { connect as connectTcp, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext } from 'node:tls';
import { EndsInTurns } from '@apiserver/apimachinery/sockets';
import { checkLiteralAddress, lookupOptions } from './allowed-addresses.js';
import { type BackendDialer, type BackendLocation, type BackendTransport, portOf } from './backend.js';
import { ioTimeout } from './dial-error.js';
import { connectVerified, type ExpectedServer } from './verified-tls.js';

/** The process has one event loop. */
const ends = new EndsInTurns();

/**
 * Connects to a backend, by TLS if its scheme says so. Speaks only HTTP/1.1, for an upgrade follows. Rejects with
 * Node's error or with `signal.reason`.
 * Upstream: DialURL in k8s.io/apimachinery/pkg/util/proxy/dial.go
 */
export async function dial(
  location: BackendLocation,
  transport: BackendTransport,
  signal: AbortSignal,
): Promise<Duplex> {
  if (signal.aborted) throw signal.reason;
  const socket = await (transport.dial === undefined
    ? dialDirectly(location, transport, signal)
    : dialThrough(transport.dial, location, transport, signal));
  ends.watch(socket);
  return socket;
}

function dialDirectly(location: BackendLocation, transport: BackendTransport, signal: AbortSignal): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const isTls = location.scheme === 'https';
  const address = { host: location.hostname, port: portOf(location), ...lookupOptions(transport) };
  checkLiteralAddress(location.hostname, transport);
  const socket = isTls
    ? connectVerified({ ...address, ...tlsOptions(location, transport) }, expectedServer(location, transport))
    : connectTcp(address);
  const abort = () => socket.destroy(signal.reason);
  const late = () => socket.destroy(ioTimeout());
  const timer = setTimeout(late, transport.connectTimeout);
  const settle = () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    socket.off('error', reject);
  };
  signal.addEventListener('abort', abort, { once: true });
  socket.on('error', reject);
  socket.once('close', () => {
    settle();
    reject(new Error('EOF'));
  });
  socket.once(isTls ? 'secureConnect' : 'connect', () => {
    if (socket.destroyed) return;
    settle();
    // Callers handle the end of the socket in 'close'.
    socket.on('error', () => {});
    socket.setNoDelay(true);
    resolve(socket);
  });
  return promise;
}

/** The same over a connection that a dialer opens. */
async function dialThrough(
  dialer: BackendDialer,
  location: BackendLocation,
  transport: BackendTransport,
  signal: AbortSignal,
): Promise<Duplex> {
  const socket = await dialer({ hostname: location.hostname, port: portOf(location) }, signal);
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const secured =
    location.scheme === 'https'
      ? connectVerified({ ...tlsOptions(location, transport), socket }, expectedServer(location, transport))
      : undefined;
  const connection = secured ?? socket;
  const abort = () => connection.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  connection.on('error', reject);
  connection.once('close', () => reject(new Error('EOF')));
  if (signal.aborted) abort();
  if (secured === undefined) resolve(socket);
  else secured.once('secureConnect', () => secured.destroyed || resolve(secured));
  return await promise.finally(() => {
    signal.removeEventListener('abort', abort);
    connection.off('error', reject);
    connection.on('error', () => {});
  });
}

/** The authorities and the name that a backend is verified by; undefined if it is not verified. */
export function expectedServer(
  { hostname }: Pick<BackendLocation, 'hostname'>,
  { verify, ca, serverName }: BackendTransport,
): ExpectedServer | undefined {
  return verify ? { ca, host: serverName || hostname } : undefined;
}

const contexts = new WeakMap<BackendTransport, SecureContext>();

/** One for all connections of a transport: it takes as long as the rest of a connection, and as much memory. */
function secureContextOf(transport: BackendTransport): SecureContext {
  const known = contexts.get(transport);
  if (known !== undefined) return known;
  const { certificate, key } = transport;
  // OpenSSL judges nothing, so that it needs no authorities.
  const context = createSecureContext({ ca: [], ...(certificate === '' ? {} : { cert: certificate, key }) });
  contexts.set(transport, context);
  return context;
}

/** TLS options for Node. */
export function tlsOptions({ hostname }: BackendLocation, transport: BackendTransport) {
  const { serverName = isIP(hostname) === 0 ? hostname : '' } = transport;
  return {
    ...(serverName === '' ? {} : { servername: serverName }),
    secureContext: secureContextOf(transport),
    ALPNProtocols: ['http/1.1'],
  };
}
