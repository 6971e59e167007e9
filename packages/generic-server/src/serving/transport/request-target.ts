import { percentDecoded } from '@apiserver/apimachinery/text';

/** The parts of a request target. */
export interface RequestTarget {
  /** Percent-decoded. */
  readonly path: string;
  readonly rawQuery: string;
  /** Host of an absolute URL, which overrides the headers. */
  readonly host?: string;
  /** True for "*" of OPTIONS, which means the whole server. */
  readonly isServer?: boolean;
}

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters.
const CONTROL = /[\x00-\x1f\x7f]/;

/**
 * Parses a request target: a path, an absolute URL or "*". Undefined for other targets, for a path with an invalid
 * escape, and for control characters. The target of CONNECT may be a host, without a path.
 * Upstream: net/url.ParseRequestURI; readRequest in net/http
 */
export function parseRequestTarget(url: string, method: string): RequestTarget | undefined {
  if (CONTROL.test(url)) return undefined;
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
  // Upstream keeps bytes that are not UTF-8, and finds nothing under such a name.
  const path = percentDecoded(rawPath, 'latin1');
  return path === undefined ? undefined : { path, rawQuery };
}

/** Largest number of parameters. A query with more has none. */
const MAX_PARAMETERS = 10_000;

function hasTooManyParameters(rawQuery: string): boolean {
  let count = 1;
  for (let at = rawQuery.indexOf('&'); at !== -1 && count <= MAX_PARAMETERS; at = rawQuery.indexOf('&', at + 1))
    count++;
  return count > MAX_PARAMETERS;
}

/** Most requests have no query, and Node takes a microsecond to make parameters. */
class NoParameters extends URLSearchParams {
  override append(): never {
    return refuseChange();
  }

  override set(): never {
    return refuseChange();
  }
}

function refuseChange(): never {
  throw new TypeError('the parameters of a request without a query are shared');
}

const noParameters = new NoParameters();

/**
 * Parses a query as upstream does. The result must not be changed. Pairs with an invalid escape or a ";" are dropped; the others stay in order. A query
 * with too many parameters has none.
 * Upstream: net/url.URL.Query
 */
export function parseQuery(rawQuery: string): URLSearchParams {
  if (rawQuery === '') return noParameters;
  if (rawQuery.length >= MAX_PARAMETERS && hasTooManyParameters(rawQuery)) return new URLSearchParams();
  if (!rawQuery.includes(';') && !BAD_ESCAPE.test(rawQuery)) return parametersOf(rawQuery);
  const kept = rawQuery.split('&').filter((pair) => !pair.includes(';') && !BAD_ESCAPE.test(pair));
  return parametersOf(kept.join('&'));
}

/** A second question mark belongs to the first name. JavaScript would leave it out. */
function parametersOf(query: string): URLSearchParams {
  return new URLSearchParams(query.startsWith('?') ? `?${query}` : query);
}
