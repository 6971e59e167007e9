import type { Exchange, RequestHeaders } from '@apiserver/apiserver-contracts';

/** Hop-by-hop headers. Upstream: hopHeaders of net/http/httputil */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** The prefix of a bearer token among WebSocket subprotocols. Upstream: authentication/request/websocket */
const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** Headers by name, with the case in which names are sent. */
export type HeaderLines = Readonly<Record<string, string | readonly string[]>>;

/**
 * The usual headers by which a front proxy identifies a user.
 * Upstream: standardRequestHeaderConfig of its authentication filter
 */
const IDENTITY: ReadonlySet<string> = new Set(['x-remote-user', 'x-remote-uid', 'x-remote-group']);
const IDENTITY_EXTRA = 'x-remote-extra-';

/**
 * The client's headers for a backend, except those that identify the user, which this server consumes. Names are in
 * Go's canonical form and sorted, as Go sends them. `isIdentified`: the usual headers of a front proxy are this
 * server's own.
 */
export function forwardedHeaders(
  { request, context }: Pick<Exchange, 'request' | 'context'>,
  isIdentified = false,
): Record<string, string | readonly string[]> {
  const { headers, remoteAddress } = request;
  const lines: Record<string, string | readonly string[]> = {};
  for (const name of [...headers.names()].sort()) {
    if (name.startsWith(':') || name === 'host' || isCredential(name)) continue;
    const isOwn = isIdentified && isIdentity(name);
    if (!isOwn && (isIdentity(name) || context.isIdentityHeader?.(name))) continue;
    const values = name === 'sec-websocket-protocol' ? withoutBearer(headers) : headers.all(name);
    // Go's client sends no empty name of itself.
    if (name === 'user-agent' && values[0] === '') continue;
    if (values.length > 0) lines[canonicalName(name)] = values.length === 1 ? (values[0] ?? '') : values;
  }
  const before = headers.all('x-forwarded-for');
  lines['X-Forwarded-For'] = [...before, remoteAddress].join(', ');
  return lines;
}

/**
 * Removes hop-by-hop headers. `isIdentified`: the client cannot declare that the headers of its identity are such ones.
 * Upstream: ReverseProxy of net/http/httputil, behind which the transport sets the identity
 */
export function endToEndHeaders(lines: HeaderLines, isIdentified = false): Record<string, string | readonly string[]> {
  const named = new Set(tokens(lines['Connection']));
  const kept = Object.entries(lines).filter(([name]) => {
    const lower = name.toLowerCase();
    if (isIdentified && isIdentity(lower)) return true;
    return !HOP_HEADERS.has(lower) && !named.has(lower);
  });
  const trailers = tokens(lines['Te']).includes('trailers') ? { Te: 'trailers' } : {};
  return { ...Object.fromEntries(kept), ...trailers };
}

/** Converts `content-type` to `Content-Type`. Upstream: net/textproto.CanonicalMIMEHeaderKey */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}

/** The tokens of a comma-separated header, in lower case. */
function tokens(value: string | readonly string[] | undefined): readonly string[] {
  return [value ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== '');
}

/** Upstream: the headers that the authentication and impersonation filters delete. */
function isCredential(name: string): boolean {
  return name === 'authorization' || name.startsWith('impersonate-');
}

/** A backend that trusts this server must not take them for its own. */
function isIdentity(name: string): boolean {
  return IDENTITY.has(name) || name.startsWith(IDENTITY_EXTRA);
}

function withoutBearer(headers: RequestHeaders): readonly string[] {
  const offered = headers.all('sec-websocket-protocol');
  if (!offered.some((line) => line.includes(BEARER_PROTOCOL))) return offered;
  const protocols = offered.flatMap((line) => line.split(',')).map((protocol) => protocol.trim());
  const kept = protocols.filter((protocol) => !protocol.startsWith(BEARER_PROTOCOL));
  return kept.length === 0 ? [] : [kept.join(', ')];
}
