import { Buffer } from 'node:buffer';

/** The parts of a request target. */
export interface RequestTarget {
  /** Percent-decoded. */
  readonly path: string;
  readonly rawQuery: string;
  /** Where an absolute URL leads; it goes before what the headers say. */
  readonly host?: string;
  /** The server as a whole is meant: "*" of OPTIONS. */
  readonly isServer?: boolean;
}

const badEscape = /%(?![0-9a-fA-F]{2})/;

/**
 * Takes a request target apart; undefined when it is none that a server answers: neither a path, nor an absolute URL, nor
 * "*", or a path with a broken escape. CONNECT may name a place, which has no path.
 * Upstream: net/url.ParseRequestURI; readRequest in net/http
 */
export function parseRequestTarget(url: string, method: string): RequestTarget | undefined {
  if (url.startsWith('/')) return fromPath(url);
  if (url === '*') return { path: url, rawQuery: '', isServer: method === 'OPTIONS' };
  if (method === 'CONNECT') return { path: '', rawQuery: '', host: url };
  const match = /^https?:\/\/([^/?]*)(.*)$/i.exec(url);
  if (match === null) return undefined;
  const [, origin = '', rest = ''] = match;
  const target = fromPath(rest.startsWith('/') ? rest : `/${rest}`);
  return target && { ...target, host: origin.slice(origin.lastIndexOf('@') + 1) };
}

function fromPath(target: string): RequestTarget | undefined {
  const mark = target.indexOf('?');
  const rawPath = mark < 0 ? target : target.slice(0, mark);
  const rawQuery = mark < 0 ? '' : target.slice(mark + 1);
  if (!rawPath.includes('%')) return { path: rawPath, rawQuery };
  if (badEscape.test(rawPath)) return undefined;
  return { path: decodePath(rawPath), rawQuery };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Bytes that are no UTF-8: upstream keeps them, and finds nothing under such a name.
    const bytes = path.replaceAll(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}

/** More parameters than these are none at all. */
const MAX_PARAMETERS = 10_000;

function hasTooManyParameters(rawQuery: string): boolean {
  let count = 1;
  for (let at = rawQuery.indexOf('&'); at !== -1 && count <= MAX_PARAMETERS; at = rawQuery.indexOf('&', at + 1))
    count++;
  return count > MAX_PARAMETERS;
}

/**
 * The query as upstream reads it: pairs with a broken escape or a ";" are left out, the others stay in order.
 * Of a query of too many nothing is heard.
 * Upstream: net/url.URL.Query
 */
export function parseQuery(rawQuery: string): URLSearchParams {
  if (rawQuery.length >= MAX_PARAMETERS && hasTooManyParameters(rawQuery)) return new URLSearchParams();
  if (!rawQuery.includes(';') && !badEscape.test(rawQuery)) return new URLSearchParams(rawQuery);
  const kept = rawQuery.split('&').filter((pair) => !pair.includes(';') && !badEscape.test(pair));
  return new URLSearchParams(kept.join('&'));
}
