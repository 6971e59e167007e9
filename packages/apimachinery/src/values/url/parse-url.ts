import { isParseError, ParseError } from '../../text/parse-error.js';
import { quoteBytes } from '../../text/quote-bytes.js';
import { parseAddress } from '../parse-address.js';
import { fromByteText, toByteText } from './byte-text.js';
import { escapeBytes, isValidEncoding, unescapeBytes } from './escape.js';

interface User {
  readonly name: string;
  readonly password: string | undefined;
}

/** The parts of a URL; their characters are bytes of UTF-8. */
export interface ParsedUrl {
  readonly scheme: string;
  /** The rest after a scheme that no slash follows; empty for other URLs. */
  readonly opaque: string;
  readonly user: User | undefined;
  /** With its port, without escapes. */
  readonly host: string;
  readonly path: EscapedText;
  readonly query: string;
  readonly fragment: EscapedText;
  /** True for a question mark without a query. */
  readonly hasEmptyQuery: boolean;
  /** True for `scheme:/path`. */
  readonly omitsHost: boolean;
}

/** A text, plain and as it is written. */
interface EscapedText {
  readonly plain: string;
  readonly escaped: string;
}

/**
 * Parses a URL as it stands in the line of a request: absolute, or a path from the root. Throws a ParseError with
 * upstream's text.
 *
 * Upstream: ParseRequestURI of Go's net/url
 */
export function parseRequestUrl(text: string): ParsedUrl {
  const bytes = toByteText(text);
  return named(bytes, () => parse(bytes, true));
}

/**
 * Parses a URL of a request line, or one with a fragment or without a scheme. Throws a ParseError with upstream's text.
 *
 * Upstream: stringToUrl in k8s.io/apiserver/pkg/cel/library/urls.go
 */
export function parseUrl(text: string): ParsedUrl {
  const request = parseRequestUrl(text);
  // The parsers differ in fragments, and in hosts without a scheme.
  return text.includes('#') || request.scheme === '' ? parseAny(toByteText(text)) : request;
}

/**
 * Go's error for an invalid URL, such as `parse "https://h:x": invalid port ":x" after host`; undefined for a valid one.
 *
 * Upstream: Parse of Go's net/url
 */
export function urlFault(text: string): string | undefined {
  try {
    parseAny(toByteText(text));
    return undefined;
  } catch (error) {
    if (isParseError(error)) return error.message;
    throw error;
  }
}

/**
 * Parses any URL, such as a relative link in a page. Throws a ParseError with upstream's text.
 *
 * Upstream: Parse of Go's net/url
 */
export function parseUrlReference(text: string): ParsedUrl {
  return parseAny(toByteText(text));
}

/** Another path in a URL. The path is plain, and its characters are bytes of UTF-8. */
export function withUrlPath(url: ParsedUrl, path: string): ParsedUrl {
  return { ...url, path: { plain: path, escaped: escapeBytes(path, 'path') } };
}

/** Parses a URL with its fragment. Errors about other parts quote the URL without it. */
function parseAny(bytes: string): ParsedUrl {
  const hash = bytes.indexOf('#');
  const before = hash < 0 ? bytes : bytes.slice(0, hash);
  const url = named(before, () => parse(before, false));
  if (hash < 0) return url;
  return named(bytes, () => ({ ...url, fragment: escapedText(bytes.slice(hash + 1), 'fragment') }));
}

function named(bytes: string, read: () => ParsedUrl): ParsedUrl {
  try {
    return read();
  } catch (error) {
    throw isParseError(error) ? new ParseError(`parse ${quoteBytes(bytes)}: ${error.message}`) : error;
  }
}

const NO_TEXT: EscapedText = { plain: '', escaped: '' };

function parse(bytes: string, isRequest: boolean): ParsedUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
  if (/[\x00-\x1f\x7f]/.test(bytes)) throw new ParseError('net/url: invalid control character in URL');
  if (bytes === '' && isRequest) throw new ParseError('empty url');
  const empty = {
    scheme: '',
    opaque: '',
    user: undefined,
    host: '',
    query: '',
    hasEmptyQuery: false,
    omitsHost: false,
  };
  if (bytes === '*') {
    return { ...empty, path: { plain: '*', escaped: '*' }, fragment: NO_TEXT };
  }
  const { scheme, rest: afterScheme } = cutScheme(bytes);
  const { rest, query, hasEmptyQuery } = cutQuery(afterScheme);
  const head = { ...empty, scheme, query, hasEmptyQuery, path: NO_TEXT };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...head, opaque: rest, fragment: NO_TEXT };
    checkRootless(rest, isRequest);
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!isRequest && !rest.startsWith('///')));
  const end = hasAuthority ? authorityEnd(rest) : 0;
  const authority = hasAuthority ? parseAuthority(scheme, rest.slice(2, end)) : undefined;
  return {
    ...head,
    ...authority,
    omitsHost: !hasAuthority && scheme !== '',
    path: escapedText(rest.slice(end), 'path'),
    fragment: NO_TEXT,
  };
}

function authorityEnd(rest: string): number {
  const slash = rest.indexOf('/', 2);
  return slash < 0 ? rest.length : slash;
}

/** A path that begins without a slash has no colon in its first segment, and no request may have it. */
function checkRootless(rest: string, isRequest: boolean): void {
  if (isRequest) throw new ParseError('invalid URI for request');
  if (/^[^/]*:/.test(rest)) throw new ParseError('first path segment in URL cannot contain colon');
}

function cutScheme(bytes: string): { readonly scheme: string; readonly rest: string } {
  if (bytes.startsWith(':')) throw new ParseError('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(bytes)?.[1];
  if (scheme === undefined) return { scheme: '', rest: bytes };
  return { scheme: scheme.toLowerCase(), rest: bytes.slice(scheme.length + 1) };
}

function cutQuery(bytes: string): { readonly rest: string; readonly query: string; readonly hasEmptyQuery: boolean } {
  const mark = bytes.indexOf('?');
  if (mark < 0) return { rest: bytes, query: '', hasEmptyQuery: false };
  const query = bytes.slice(mark + 1);
  return { rest: bytes.slice(0, mark), query, hasEmptyQuery: query === '' };
}

const USER = /^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/;

function parseAuthority(scheme: string, authority: string): { readonly user: User | undefined; readonly host: string } {
  const at = authority.lastIndexOf('@');
  const host = parseHost(scheme, authority.slice(at + 1));
  return { host, user: at < 0 ? undefined : parseUser(authority.slice(0, at)) };
}

function parseUser(user: string): User {
  if (!USER.test(user)) throw new ParseError('net/url: invalid userinfo');
  const colon = user.indexOf(':');
  if (colon < 0) return { name: unescapeBytes(user, 'user'), password: undefined };
  return { name: unescapeBytes(user.slice(0, colon), 'user'), password: unescapeBytes(user.slice(colon + 1), 'user') };
}

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf('[');
  if (open > 0) throw new ParseError('invalid IP-literal');
  if (open === 0) return parseLiteral(host);
  const isStrict = scheme === 'http' || scheme === 'https';
  const colon = isStrict ? host.indexOf(':') : host.lastIndexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  return unescapeBytes(host, 'host');
}

/** An IPv6 address in brackets, maybe with a zone and a port. */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new ParseError("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const literal = host.slice(1, close);
  const zone = literal.indexOf('%25');
  const address =
    zone < 0
      ? unescapeBytes(literal, 'host')
      : unescapeBytes(literal.slice(0, zone), 'host') + unescapeBytes(literal.slice(zone), 'zone');
  if (parseLiteralAddress(address).bytes.length === 4) throw new ParseError('invalid IP-literal');
  return `[${address}]${port}`;
}

function parseLiteralAddress(bytes: string) {
  try {
    return parseAddress(fromByteText(bytes));
  } catch (error) {
    throw isParseError(error) ? new ParseError(`invalid host: ${error.message}`) : error;
  }
}

function checkPort(port: string): void {
  if (!/^(?::[0-9]*)?$/.test(port)) throw new ParseError(`invalid port ${quoteBytes(port)} after host`);
}

function escapedText(written: string, place: 'path' | 'fragment'): EscapedText {
  const plain = unescapeBytes(written, place);
  return { plain, escaped: isValidEncoding(written, place) ? written : escapeBytes(plain, place) };
}

/** The URL as text. Upstream: String of URL in Go's net/url */
export function formatUrl(url: ParsedUrl): string {
  const scheme = url.scheme === '' ? '' : `${url.scheme}:`;
  const query = url.hasEmptyQuery || url.query !== '' ? `?${url.query}` : '';
  const fragment = url.fragment.plain === '' ? '' : `#${url.fragment.escaped}`;
  return fromByteText(`${scheme}${url.opaque === '' ? formatHierarchy(url) : url.opaque}${query}${fragment}`);
}

function formatHierarchy(url: ParsedUrl): string {
  const { scheme, user, host, path } = url;
  const hasAuthority = (scheme !== '' || host !== '' || user !== undefined) && !(url.omitsHost && host === '');
  const authority = hasAuthority ? formatAuthority(url) : '';
  const separator = path.escaped !== '' && !path.escaped.startsWith('/') && host !== '' ? '/' : '';
  const needsDot = scheme === '' && authority === '' && separator === '' && /^[^/]*:/.test(path.escaped);
  return `${authority}${separator}${needsDot ? './' : ''}${path.escaped}`;
}

function formatAuthority({ user, host, path }: ParsedUrl): string {
  const slashes = host !== '' || path.plain !== '' || user !== undefined ? '//' : '';
  const login = user === undefined ? '' : `${formatUser(user)}@`;
  return `${slashes}${login}${escapeBytes(host, 'host')}`;
}

function formatUser({ name, password }: User): string {
  const secret = password === undefined ? '' : `:${escapeBytes(password, 'user')}`;
  return `${escapeBytes(name, 'user')}${secret}`;
}
