import { formatUrl, fromByteText, type ParsedUrl, parseRequestUrl, parseUrl } from '@apiserver/apimachinery/values';
import { type CelType, structOf } from '../../types/cel-type.js';
import { NO_SUCH_OVERLOAD, noConversion } from '../../values/errors.js';
import { type Implementations, implement } from '../../values/implementation.js';
import { TextList } from '../../values/lists.js';
import { EntryMap } from '../../values/maps.js';
import { type EvaluationError, type MapValue, OpaqueValue, type Value } from '../../values/value.js';
import { TRAVERSE_FIRST } from '../call-costs.js';
import { orError, parses } from '../parse-result.js';
import { parseWork } from '../parse-work.js';
import { parseQuery } from './parse-query.js';

const URL_TYPE = structOf('kubernetes.URL');

/** A URL. Its texts are made once: functions that read them cost 1. */
class UrlValue extends OpaqueValue {
  readonly type: CelType = URL_TYPE;
  readonly #url: ParsedUrl;
  #text: string | undefined;
  #query: MapValue | undefined;

  constructor(url: ParsedUrl) {
    super();
    this.#url = url;
  }

  get scheme(): string {
    return this.#url.scheme;
  }

  /** The host with its port. */
  get host(): string {
    return fromByteText(this.#url.host);
  }

  /** The host without its port and brackets. */
  get hostname(): string {
    const host = splitPort(this.host).hostname;
    return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  }

  get port(): string {
    return splitPort(this.host).port;
  }

  get escapedPath(): string {
    return fromByteText(this.#url.path.escaped);
  }

  /** The parameters of the query: lists of values by name. */
  get query(): MapValue {
    this.#query ??= queryMap(this.#url.query);
    return this.#query;
  }

  override get unwrapError(): EvaluationError {
    return noConversion('*url.URL', this);
  }

  equals(other: Value): boolean | EvaluationError {
    if (!(other instanceof UrlValue)) return NO_SUCH_OVERLOAD;
    return this.toString() === other.toString();
  }

  override toString(): string {
    this.#text ??= formatUrl(this.#url);
    return this.#text;
  }
}

function queryMap(query: string): MapValue {
  const map = new EntryMap();
  for (const [name, values] of parseQuery(query)) map.set(name, new TextList(values));
  return map;
}

/** Upstream: stripPort and portOnly in Go's net/url */
function splitPort(host: string): { readonly hostname: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  if (colon < 0 || !/^:[0-9]*$/.test(host.slice(colon))) return { hostname: host, port: '' };
  return { hostname: host.slice(0, colon), port: host.slice(colon + 1) };
}

const ERROR_PREFIX = 'URL parse error during conversion from string: ';

const PARSE_WORK = parseWork(250, 2);

/** Upstream: k8s.io/apiserver/pkg/cel/library/urls.go */
export const URL_IMPLEMENTATIONS: Implementations = {
  is_url_string: implement(['string'], (text) => parses(() => parseRequestUrl(text)), undefined, PARSE_WORK),
  string_to_url: implement(
    ['string'],
    (text) => orError(() => new UrlValue(parseUrl(text)), ERROR_PREFIX),
    TRAVERSE_FIRST,
    PARSE_WORK,
  ),
  url_get_escaped_path: implement([UrlValue], (url) => url.escapedPath),
  url_get_host: implement([UrlValue], (url) => url.host),
  url_get_hostname: implement([UrlValue], (url) => url.hostname),
  url_get_port: implement([UrlValue], (url) => url.port),
  url_get_query: implement([UrlValue], (url) => url.query),
  url_get_scheme: implement([UrlValue], (url) => url.scheme),
};
