import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import { type BackendDialer, connectVerified, hostOf, ioTimeout } from '@apiserver/proxy/backend';
import type { TlsConfig, Transport } from './egress-configuration.js';
import { ProxyRefusalError } from './proxy-refusal-error.js';
import { socketPathOf } from './socket-path.js';

/** Upstream: http.DefaultMaxHeaderBytes of Go */
const MAX_HEAD_BYTES = 1 << 20;
/** Milliseconds to connect to a proxy and to hear from it. Upstream: the dialer of http.DefaultTransport */
const TIMEOUT_MS = 30_000;

/** The beginning of a certificate in a bundle. */
const CERTIFICATE = /^-----BEGIN CERTIFICATE-----/m;

/** A file of a proxy's certificates that cannot be used. */
class ProxyFileError extends Error {}

/** A proxy, and the name by which errors call it. */
export interface ProxyTarget {
  readonly name: string;
  /** Opens a connection to the proxy. `ready` is the event after which it can be used. */
  open(): { readonly socket: Duplex; readonly ready: 'connect' | 'secureConnect' };
}

/** The proxy of a valid transport. Reads its files. Throws a ProxyFileError. Upstream: connectionToDialerCreator */
export function proxyTargetOf(transport: Transport | undefined): ProxyTarget {
  const { tcp, uds } = transport ?? {};
  if (uds !== undefined) {
    return {
      name: uds.udsName,
      open: () => ({ socket: connectTcp({ path: socketPathOf(uds.udsName) }), ready: 'connect' }),
    };
  }
  const url = new URL(tcp?.url ?? '');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const name = hostOf({ hostname: host, port: url.port });
  if (url.protocol === 'http:') {
    const port = Number(url.port || 80);
    return { name, open: () => ({ socket: connectTcp({ host, port }), ready: 'connect' }) };
  }
  const { ca, ...options } = tlsOptionsOf(tcp?.tlsConfig ?? {}, host);
  const port = Number(url.port || 443);
  const open = () => {
    const socket = connectVerified({ host, port, ...options }, { ca, host: options.servername || host });
    return { socket, ready: 'secureConnect' } as const;
  };
  return { name, open };
}

/** Upstream: getTLSConfig */
function tlsOptionsOf({ caBundle = '', clientKey = '', clientCert = '', tlsServerName = '' }: TlsConfig, host: string) {
  const { secureContext, ca } = clientContext({ caBundle, clientKey, clientCert });
  return { ca, secureContext, servername: tlsServerName || (/^[\d.]+$|:/.test(host) ? '' : host) };
}

/** The certificates of a client, and the authorities of the proxy: "" for those of the machine. */
function clientContext({ caBundle, clientKey, clientCert }: Required<Omit<TlsConfig, 'tlsServerName'>>) {
  const problem = `failed to read key pair ${clientCert} & ${clientKey}, got`;
  const pair = { cert: pem(clientCert, problem), key: pem(clientKey, problem) };
  const trusting = secureContextOf(pair, problem);
  if (caBundle === '') return { secureContext: trusting, ca: '' };
  const ca = pem(caBundle, `failed to read cert file ${caBundle}, got`);
  if (!CERTIFICATE.test(ca)) throw new ProxyFileError('failed to append CA cert to the cert pool');
  const wanted = { ...pair, ca };
  return { secureContext: secureContextOf(wanted, `failed to read cert file ${caBundle}, got`), ca };
}

function secureContextOf(options: SecureContextOptions, problem: string): SecureContext {
  try {
    return createSecureContext(options);
  } catch (error) {
    throw new ProxyFileError(`${problem} ${messageOf(error)}`, { cause: error });
  }
}

function pem(file: string, problem: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ProxyFileError(`${problem} ${goFileError('open', file, errorOf(error))}`, { cause: error });
  }
}

/**
 * Connects through an HTTP proxy by CONNECT. Rejects with a ProxyRefusalError in upstream's words, or with Node's error
 * if the proxy cannot be reached.
 * Upstream: tunnelHTTPConnect of k8s.io/apiserver/pkg/server/egressselector
 */
export function httpConnectDialer(proxy: ProxyTarget): BackendDialer {
  return async ({ hostname, port }, signal) => {
    signal?.throwIfAborted();
    const address = hostOf({ hostname, port: String(port) });
    const { socket, ready } = proxy.open();
    const late = () => socket.destroy(ioTimeout());
    const timer = setTimeout(late, TIMEOUT_MS);
    const abort = () => socket.destroy(errorOf(signal?.reason));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await once(socket, ready);
      socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      await readResponse(socket, address, proxy.name);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  };
}

function once(socket: Duplex, event: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(event, () => socket.destroyed || resolve());
  socket.once('error', reject);
  socket.once('close', () => reject(new ProxyRefusalError('EOF')));
  return promise.finally(() => {
    socket.off('error', reject);
    // A later failure is noticed by the user of the connection.
    socket.on('error', () => {});
  });
}

/** The head of a response, and the bytes behind it. */
interface ProxyResponse {
  readonly head: string;
  readonly rest: Buffer;
}

/** Reads the head of the proxy's response, and leaves the bytes behind it in the socket. */
async function readResponse(socket: Duplex, address: string, proxy: string): Promise<void> {
  const failed = (reason: string) =>
    new ProxyRefusalError(`reading HTTP response from CONNECT to ${address} via proxy ${proxy} failed: ${reason}`);
  const { head, rest } = await readHead(socket, failed);
  const [, code = '', text = ''] = /^HTTP\/1\.[01] (\d{3}) ?([^\r\n]*)/.exec(head) ?? [];
  if (code === '') throw failed(`malformed HTTP response "${head.split(/\r?\n/, 1)[0]}"`);
  if (code !== '200') {
    throw new ProxyRefusalError(`proxy error from ${proxy} while dialing ${address}, code ${code}: ${code} ${text}`);
  }
  // A server of HTTP/2 without TLS speaks first. Upstream has only TLS in mind, and refuses such bytes.
  if (rest.length > 0) socket.unshift(rest);
}

function readHead(socket: Duplex, failed: (reason: string) => Error): Promise<ProxyResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxyResponse>();
  const chunks: Buffer[] = [];
  let size = 0;
  const onReadable = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
      chunks.push(chunk);
      size += chunk.length;
    }
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    if (end >= 0) resolve({ head: all.subarray(0, end).toString('latin1'), rest: all.subarray(end + 4) });
    else if (size > MAX_HEAD_BYTES) reject(failed('unexpected EOF'));
  };
  const onError = (error: Error) => reject(failed(error.message));
  const onEnd = () => reject(failed(size === 0 ? 'EOF' : 'unexpected EOF'));
  // Not 'data': the next reader would find the socket paused.
  socket.on('readable', onReadable);
  socket.once('error', onError);
  socket.once('end', onEnd);
  socket.once('close', onEnd);
  return promise.finally(() => {
    socket.off('readable', onReadable);
    socket.off('error', onError);
    socket.off('end', onEnd);
    socket.off('close', onEnd);
  });
}
