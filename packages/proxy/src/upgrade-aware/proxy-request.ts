import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import {
  messageOf,
  newBadRequest,
  newInternalError,
  newServiceUnavailable,
  plainFailure,
} from '@apiserver/apimachinery/errors';
import type { ApiRequest, ApiResponse, Exchange } from '@apiserver/apiserver-contracts';
import { type BackendLocation, type BackendTransport, escapePath, hostOf } from '../backend/backend.js';
import { dialErrorText } from '../backend/dial-error.js';
import { fetchBackend } from '../backend/fetch-backend.js';
import { closedConnectionsSeen, fetchAgain } from '../backend/fetch-kept.js';
import { headerText } from '../backend/header-bytes.js';
import { canonicalName, endToEndHeaders, forwardedHeaders } from './forwarded-headers.js';
import { withGuessedType } from './guessed-type.js';
import { proxyUpgrade } from './proxy-upgrade.js';
import { LinkRewriter } from './rewrite-links.js';
import { rewritePage } from './rewrite-page.js';
import { isUpgradeRequest } from './upgrade-request.js';

/** The backend of a proxied request, with options. */
export interface ProxyTarget {
  /** Its query is ignored in favour of the request's own, except for upgrades and with `isIdentified`. */
  readonly location: BackendLocation;
  readonly transport: BackendTransport;
  /** Refuse requests without an upgrade. */
  readonly upgradeRequired: boolean;
  /**
   * True for a request of this server in the name of the user: it has set the headers that identify the user, and the
   * backend sees its own host. Default: those headers are the client's, and are dropped; the backend sees the client's
   * host.
   * Upstream: NewRequestForProxy in k8s.io/apiserver/pkg/util/proxy/proxy.go
   */
  readonly isIdentified?: boolean;
  /** Limits each direction of an upgraded connection; 0, the default, for no limit. */
  readonly maxBytesPerSec?: number;
}

/** CORS headers of the backend, which are removed: this server sets its own. */
const CORS_HEADERS = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
];

/**
 * Proxies a request to a backend, and its response to the client. Upgrades are handed over. Redirects, and links in
 * pages, are rewritten to lead through the proxy. Throws a StatusError if the backend does not respond.
 * Upstream: UpgradeAwareHandler in k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go, with WrapTransport
 */
export async function proxyRequest(exchange: Exchange, target: ProxyTarget): Promise<ApiResponse> {
  const { request } = exchange;
  if (isUpgradeRequest(request)) return proxyUpgrade(exchange, target);
  if (target.upgradeRequired) throw newBadRequest('Upgrade request required');
  const path = withSlashOf(request, target.location.path);
  if (path === '' && (request.method === 'GET' || request.method === 'HEAD')) return redirectToRoot(exchange);
  const rawQuery = target.isIdentified ? target.location.rawQuery : request.rawQuery;
  const location = { ...target.location, path: path.startsWith('/') ? path : `/${path}`, rawQuery };
  const links = linksOf(request, target, location);
  const response = await ask(exchange, { ...target, location }, links);
  return respond(exchange, response, links);
}

/** Keeps the trailing slash of the request's path. */
function withSlashOf(request: ApiRequest, path: string): string {
  return !path.endsWith('/') && request.path.endsWith('/') ? `${path}/` : path;
}

/** Pages have relative links, so the root of a backend must end with a slash. Upstream: proxyRedirectsforRootPath */
function redirectToRoot({ request, responseHeaders }: Exchange): ApiResponse {
  const query = request.rawQuery === '' ? '' : `?${request.rawQuery}`;
  responseHeaders.set('Location', `${escapePath(request.path)}/${query}`);
  return { type: 'bytes', status: 301, body: undefined };
}

/** Upstream: defaultProxyTransport */
function linksOf(request: ApiRequest, target: ProxyTarget, location: BackendLocation): LinkRewriter {
  if (target.isIdentified === true) {
    const origin = { scheme: location.scheme, host: hostOf(location) };
    return new LinkRewriter({ pathPrepend: '', location, requestHost: origin.host, origin });
  }
  const suffix = withSlashOf(request, target.location.path);
  const pathPrepend =
    suffix !== '' && request.path.endsWith(suffix) ? request.path.slice(0, -suffix.length) : request.path;
  return new LinkRewriter({ pathPrepend, location, requestHost: request.host });
}

async function ask(
  exchange: Exchange,
  { location, transport, isIdentified }: ProxyTarget,
  links: LinkRewriter,
): Promise<IncomingMessage> {
  const { request, signal } = exchange;
  // A request with a body is not sent again. Its stream is made afterwards, so that somebody hears of its failure.
  if (request.method !== 'GET') await closedConnectionsSeen();
  const body = request.bodyStream();
  const headers = {
    Host: links.requestHost,
    ...endToEndHeaders(forwardedHeaders(exchange, isIdentified), isIdentified),
    ...links.forwardedHeaders(location.path),
    ...framing(request, body),
  };
  try {
    const sent = { method: request.method, headers };
    if (body === undefined) return await fetchAgain(location, transport, sent, signal);
    return await fetchBackend(location, transport, { ...sent, body }, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw newServiceUnavailable(`error trying to reach service: ${dialErrorText(error, location)}`);
  }
}

/** Methods whose absent body has a length. Upstream: shouldSendContentLength of Go's net/http */
const WITH_LENGTH: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Frames the body: by length if the client sent one, else chunked. */
function framing({ method, headers }: ApiRequest, body: Readable | undefined): Record<string, string> {
  const length = headers.get('content-length');
  if (body !== undefined) {
    return length === undefined ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length };
  }
  return WITH_LENGTH.has(method) ? { 'Content-Length': '0' } : {};
}

async function respond(exchange: Exchange, response: IncomingMessage, links: LinkRewriter): Promise<ApiResponse> {
  const { responseHeaders } = exchange;
  exchange.onFinished(() => response.destroy());
  // Upstream: handleUpgradeResponse of Go's ReverseProxy
  if (response.statusCode === 101) {
    throw plainFailure(500, 'internal error: 101 switching protocols response with non-writable body');
  }
  const { location = '' } = response.headers;
  const redirect = location === '' ? undefined : rewrittenLocation(headerText(location), links);
  const status = response.statusCode ?? 502;
  const hasBody = exchange.request.method !== 'HEAD' && status !== 204 && status !== 304;
  const isRewritten = hasBody && redirect === undefined && isPage(response);
  // Before the headers are copied: the response of a failure has none of them.
  const page = isRewritten ? await rewritePage(response, links) : undefined;
  for (const [name, value] of Object.entries(endToEndHeaders(headersOf(response)))) {
    // The backend's values follow those of this server, as those of Audit-ID and Cache-Control. Upstream: copyHeader of
    // ReverseProxy
    for (const one of [value].flat()) responseHeaders.append(name, one);
  }
  if (redirect !== undefined) responseHeaders.set('Location', redirect);
  if (!hasBody) {
    response.resume();
    return { type: 'bytes', status, body: undefined };
  }
  if (page === undefined || 'unchanged' in page) {
    const chunks = await typed(exchange, page?.unchanged ?? response);
    return { type: 'chunks', status, chunks, isPatient: true };
  }
  responseHeaders.delete('Content-Length');
  return { type: 'bytes', status, body: page.rewritten };
}

/** Gives a body without a type the one that its beginning suggests. Upstream: writeHeader of Go's server */
async function typed({ responseHeaders }: Exchange, chunks: AsyncIterable<Buffer>): Promise<AsyncIterable<Uint8Array>> {
  if (responseHeaders.has('Content-Type') || (responseHeaders.get('Content-Encoding') ?? '') !== '') return chunks;
  const body = await withGuessedType(chunks);
  if (body.type !== undefined) responseHeaders.set('Content-Type', body.type);
  return body.chunks;
}

/** Throws a StatusError if the Location is no URL. Upstream: RoundTrip of Transport in util/proxy/transport.go */
function rewrittenLocation(location: string, links: LinkRewriter): string {
  try {
    return links.rewrite(location);
  } catch (error) {
    throw newInternalError(`error trying to parse Location header: ${messageOf(error)}`);
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Record<string, string | readonly string[]> {
  const lines: Record<string, string | readonly string[]> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = canonicalName(rawHeaders[at] ?? '');
    const value = headerText(rawHeaders[at + 1] ?? '');
    if (CORS_HEADERS.includes(name.toLowerCase())) continue;
    const before = lines[name];
    lines[name] = before === undefined ? value : [before, value].flat();
  }
  return lines;
}

function isPage({ headers }: IncomingMessage): boolean {
  return (headers['content-type'] ?? '').split(';')[0]?.trim() === 'text/html';
}
