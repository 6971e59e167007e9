import { posix } from 'node:path';
import { formatUrl, parseUrlReference, toByteText, withUrlPath } from '@apiserver/apimachinery/values';
import { type BackendLocation, escapePath, hostOf } from '../backend/backend.js';

/** Options of a LinkRewriter. */
export interface LinkRewriterOptions {
  /** The prefix of the request's path that leads to the backend. */
  readonly pathPrepend: string;
  /** The location of the page. */
  readonly location: BackendLocation;
  /** The Host header of the request to the backend. */
  readonly requestHost: string;
  /**
   * The origin of rewritten links. Default: links to the backend become paths, and links to `requestHost` keep theirs.
   */
  readonly origin?: { readonly scheme: string; readonly host: string };
}

/**
 * Rewrites a backend's links to itself so that they lead through the proxy. Links to other hosts, and relative paths,
 * stay.
 * Upstream: Transport.rewriteURL in k8s.io/apimachinery/pkg/util/proxy/transport.go
 */
export class LinkRewriter {
  readonly #options: LinkRewriterOptions;

  constructor(options: LinkRewriterOptions) {
    this.#options = options;
  }

  get requestHost(): string {
    return this.#options.requestHost;
  }

  /** The headers that tell the backend by which URL a path of it was asked for. */
  forwardedHeaders(path: string): Readonly<Record<string, string>> {
    const { origin, pathPrepend } = this.#options;
    return {
      'X-Forwarded-Uri': joined(pathPrepend, escapePath(path)),
      ...(origin && { 'X-Forwarded-Host': origin.host, 'X-Forwarded-Proto': origin.scheme }),
    };
  }

  /**
   * The link as Go writes it, even if it does not lead to the backend. Throws a ParseError with Go's text if it is no
   * URL.
   */
  rewrite(link: string): string {
    const { origin, pathPrepend, location } = this.#options;
    const url = parseUrlReference(link);
    const { host } = url;
    const path = url.path.plain;
    const isElsewhere = host !== '' && host !== hostOf(location) && host !== this.requestHost;
    if (isElsewhere || !path.startsWith('/')) return formatUrl(url);
    const keepsOrigin = origin === undefined && host === this.requestHost;
    const moved = keepsOrigin ? url : { ...url, scheme: origin?.scheme ?? '', host: origin?.host ?? '' };
    const prefix = toByteText(pathPrepend);
    return formatUrl(path.startsWith(prefix) ? moved : withUrlPath(moved, joined(prefix, path)));
  }
}

/** Keeps the trailing slash, which Go's path.Join would drop. Upstream: path.Join */
function joined(prefix: string, path: string): string {
  const result = posix.join(prefix, path);
  const bare = result.length > 1 && result.endsWith('/') ? result.slice(0, -1) : result;
  return path.endsWith('/') ? `${bare}/` : bare;
}
