/** How a connection to a backend is made. One value per kind of backend, kept: connections are pooled by it. */
export interface BackendTransport {
  /** PEM; "" for the authorities that Node trusts. */
  readonly ca: string;
  /** PEM of the certificate that is shown when asked for, and its key; "" for none. */
  readonly certificate: string;
  readonly key: string;
  /** The name that the backend's certificate must have; absent: that of its location. */
  readonly serverName?: string;
  /** False: any certificate will do. */
  readonly verify: boolean;
  /** Milliseconds for connecting, handshake included. */
  readonly connectTimeout: number;
  /** Judges every address before it is dialled, those that a name resolves to then included; absent: all are allowed. */
  readonly allowsAddress?: (address: string) => boolean;
}

/** Where a request goes. Upstream: the url.URL of a proxy's location */
export interface BackendLocation {
  readonly scheme: 'http' | 'https';
  /** A name or an address; an IPv6 address without brackets. */
  readonly hostname: string;
  /** "" for the scheme's own. */
  readonly port: string;
  /** Decoded; "" or with a slash in front. */
  readonly path: string;
  /** Without "?". */
  readonly rawQuery: string;
}

/** Host and port as a URL shows them. */
export function hostOf({ hostname, port }: Pick<BackendLocation, 'hostname' | 'port'>): string {
  const host = hostname.includes(':') ? `[${hostname}]` : hostname;
  return port === '' ? host : `${host}:${port}`;
}

/**
 * The port to connect to: by its number, or by the name of one of the two schemes. Throws, in Go's words, where there is no
 * such port. Upstream: net.LookupPort of Go
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

/** Path and query as they are sent. */
export function requestTarget({ path, rawQuery }: Pick<BackendLocation, 'path' | 'rawQuery'>): string {
  return `${escapePath(path)}${rawQuery === '' ? '' : `?${rawQuery}`}`;
}

/** The whole URL, as errors show it. */
export function locationText(location: BackendLocation): string {
  return `${location.scheme}://${hostOf(location)}${requestTarget(location)}`;
}

/**
 * A decoded path as Go writes it into a URL.
 * Upstream: url.URL.EscapedPath
 */
export function escapePath(path: string): string {
  return encodeURIComponent(path)
    .replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
