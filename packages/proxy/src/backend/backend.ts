import type { Duplex } from 'node:stream';

/**
 * Opens a connection to an address by another way than the network of this machine, such as an egress proxy. `signal`
 * ends the attempt, not an open connection.
 */
export type BackendDialer = (
  target: { readonly hostname: string; readonly port: number },
  signal?: AbortSignal,
) => Promise<Duplex>;

/** Connection settings of one kind of backend. Keep the value: connections are pooled by its identity. */
export interface BackendTransport {
  /** PEM of the trusted CAs; "" for Node's default CAs. */
  readonly ca: string;
  /** PEM of the client certificate and its key; "" for none. */
  readonly certificate: string;
  readonly key: string;
  /** The expected name in the backend's certificate. Default: the hostname of the location. */
  readonly serverName?: string;
  /** False to accept any certificate. */
  readonly verify: boolean;
  /** Time limit for connecting, including the TLS handshake, in milliseconds. */
  readonly connectTimeout: number;
  /**
   * Reports whether an address may be dialled; called for every address that a name resolves to. Default: all are
   * allowed.
   */
  readonly allowsAddress?: (address: string) => boolean;
  /** Opens the connections of requests. TLS is spoken over them. Default: TCP from this machine. */
  readonly dial?: BackendDialer | undefined;
}

/** The target of a request. Upstream: the url.URL of a proxy's location */
export interface BackendLocation {
  readonly scheme: 'http' | 'https';
  /** A hostname or an IP address; IPv6 without brackets. */
  readonly hostname: string;
  /** "" for the scheme's default port. */
  readonly port: string;
  /** Decoded; "" or with a leading slash. */
  readonly path: string;
  /** The same escaped, where that is not the default escaping of `path`. Upstream: url.URL.RawPath */
  readonly rawPath?: string;
  /** Without "?". */
  readonly rawQuery: string;
}

/** Formats host and port as in a URL. */
export function hostOf({ hostname, port }: Pick<BackendLocation, 'hostname' | 'port'>): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return port === '' ? host : `${host}:${port}`;
}

/**
 * The port to connect to, given by number or by scheme name. Throws an Error with Go's message if there is no such
 * port.
 * Upstream: net.LookupPort of Go
 */
export function portOf({ scheme, port }: BackendLocation): number {
  const named = port === '' ? scheme : port.toLowerCase();
  if (named === 'https') return 443;
  if (named === 'http') return 80;
  if (!/^[+-]?\d+$/.test(named)) throw new Error(`dial tcp: lookup tcp/${port}: unknown port`);
  const number = Number(named);
  if (number < 0 || number > 0xffff) throw new Error(`dial tcp: address ${port}: invalid port`);
  return number;
}

/** The request target: escaped path and query. */
export function requestTarget({
  path,
  rawPath = escapePath(path),
  rawQuery,
}: Pick<BackendLocation, 'path' | 'rawPath' | 'rawQuery'>): string {
  return `${rawPath}${rawQuery === '' ? '' : `?${rawQuery}`}`;
}

/** The whole URL, for error messages. */
export function locationText(location: BackendLocation): string {
  return `${location.scheme}://${hostOf(location)}${requestTarget(location)}`;
}

/** Escapes a decoded path as Go does. Upstream: url.URL.EscapedPath */
export function escapePath(path: string): string {
  return encodeURIComponent(path)
    .replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
