import { posix } from 'node:path';
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

/** `[scheme:][//host][path][?query][#fragment]`. Upstream: net/url.Parse */
const URL_PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/;

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

  /** Returns the link unchanged if it does not lead to the backend, or is no URL. */
  rewrite(link: string): string {
    const { pathPrepend, location } = this.#options;
    const parts = URL_PARTS.exec(link);
    if (parts === null) return link;
    const [, scheme = '', host = '', rawPath = '', query = '', fragment = ''] = parts;
    const path = decoded(rawPath);
    if (path === undefined || !path.startsWith('/')) return link;
    if (host !== '' && host !== hostOf(location) && host !== this.requestHost) return link;
    const target = path.startsWith(pathPrepend) ? path : joined(pathPrepend, path);
    return `${this.#originOf(scheme, host)}${escapePath(target)}${query}${fragment}`;
  }

  #originOf(scheme: string, host: string): string {
    const { origin } = this.#options;
    if (origin !== undefined) return `${origin.scheme}://${origin.host}`;
    return host === '' || host !== this.requestHost ? '' : `${scheme === '' ? '' : `${scheme}:`}//${host}`;
  }
}

/** Keeps the trailing slash, which Go's path.Join would drop. Upstream: path.Join */
function joined(prefix: string, path: string): string {
  const result = posix.join(prefix, path);
  const bare = result.length > 1 && result.endsWith('/') ? result.slice(0, -1) : result;
  return path.endsWith('/') ? `${bare}/` : bare;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
