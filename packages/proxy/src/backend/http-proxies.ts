import { STATUS_CODES } from 'node:http';
import { isIP } from 'node:net';
import { codeOf } from '@apiserver/apimachinery/errors';
import { type CIDR, cidrContains, isLoopback, parseCIDR, parseIPAddress } from '@apiserver/apimachinery/values';
import { type BackendLocation, portOf } from './backend.js';
import { dialErrorText } from './dial-error.js';
import { isSocksProxy } from './socks-agents.js';

/** The URL of the proxy for requests to a location; undefined for none. Throws an Error for an unusable proxy. */
export type HttpProxies = (location: BackendLocation) => string | undefined;

/** Variables of a process, by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** An entry of NO_PROXY. An empty port means all ports. */
type Exception =
  | { readonly type: 'network'; readonly network: CIDR }
  | { readonly type: 'address'; readonly bytes: readonly number[]; readonly port: string }
  | { readonly type: 'domain'; readonly suffix: string; readonly includesHost: boolean; readonly port: string };

/**
 * The proxies that the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, or their lower-case forms. This machine is
 * never reached by a proxy.
 * Upstream: http.ProxyFromEnvironment of Go
 */
export function httpProxiesOf(environment: Environment): HttpProxies {
  const variable = (name: string) => environment[name] || environment[name.toLowerCase()] || '';
  const proxies = { https: proxyUrlOf(variable('HTTPS_PROXY')), http: proxyUrlOf(variable('HTTP_PROXY')) };
  const noProxy = variable('NO_PROXY')
    .split(',')
    .map((entry) => entry.trim().toLowerCase());
  if ((proxies.http ?? proxies.https) === undefined || noProxy.includes('*')) return () => undefined;
  const exceptions = noProxy.flatMap((entry) => exceptionOf(entry) ?? []);
  return (location) => {
    const proxy = proxies[location.scheme];
    return proxy === undefined || isExcepted(location, exceptions) ? undefined : usableText(proxy);
  };
}

function exceptionOf(entry: string): Exception | undefined {
  const network = parseCIDR(entry);
  if (network !== undefined) return { type: 'network', network };
  const { host = '', port = '' } = /^(?<host>\[.*\]|[^:]*):(?<port>[^:]*)$/.exec(entry)?.groups ?? {};
  const named = port === '' ? entry : host;
  const name = named.replace(/^\[(.*)\]$/, '$1');
  if (name === '') return undefined;
  const address = parseIPAddress(name);
  if (address !== undefined) return { type: 'address', bytes: address.bytes, port };
  const domain = name.replace(/^\*(?=\.)/, '');
  const includesHost = !domain.startsWith('.');
  return { type: 'domain', suffix: includesHost ? `.${domain}` : domain, includesHost, port };
}

function isExcepted(location: BackendLocation, exceptions: readonly Exception[]): boolean {
  const host = location.hostname.toLowerCase();
  const port = String(portOf(location));
  const bytes = isIP(host) === 0 ? undefined : parseIPAddress(host)?.bytes;
  if (host === 'localhost' || (bytes !== undefined && isLoopback(bytes))) return true;
  return exceptions.some((exception) => {
    if (exception.type === 'network') return bytes !== undefined && cidrContains(exception.network, bytes);
    if (exception.port !== '' && exception.port !== port) return false;
    if (exception.type === 'address') return bytes !== undefined && String(bytes) === String(exception.bytes);
    const { suffix, includesHost } = exception;
    return bytes === undefined && (host.endsWith(suffix) || (includesHost && host === suffix.slice(1)));
  });
}

/** A proxy that this server cannot use. */
class UnsupportedProxyError extends Error {
  override readonly name = 'UnsupportedProxyError';
}

/** An unparsable text counts as none, as upstream. */
function proxyUrlOf(text: string): URL | undefined {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && url.host !== '') return url;
  return URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : undefined;
}

function usableText({ protocol, href }: URL): string {
  if (protocol === 'http:' || protocol === 'https:' || isSocksProxy(href)) return href;
  throw new UnsupportedProxyError(`proxies of the scheme ${protocol.slice(0, -1)} are not supported by this server`);
}

/**
 * The reason why a proxy made no connection, in Go's words. Undefined for an error of the connection behind it.
 * Upstream: dialConn of Go's net/http
 */
export function proxyErrorText(error: unknown, proxy: string): string | undefined {
  if (codeOf(error) === 'ERR_PROXY_TUNNEL') return refusalOf(error);
  const isOfProxy = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'].includes(String(codeOf(error)));
  if (!isOfProxy) return undefined;
  const { protocol, hostname, port } = new URL(proxy);
  const scheme = protocol === 'https:' ? 'https' : 'http';
  const location = { scheme, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: '', rawQuery: '' } as const;
  return `proxyconnect tcp: ${dialErrorText(error, location)}`;
}

function refusalOf(error: unknown): string {
  const code = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 0;
  return STATUS_CODES[code] ?? 'unknown status code';
}
