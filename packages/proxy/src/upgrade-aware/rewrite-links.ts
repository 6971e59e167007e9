import { posix } from 'node:path';
import { type BackendLocation, escapePath, hostOf } from '../backend/backend.js';

/** Options of a LinkRewriter. */
export interface LinkRewriterOptions {
  /** The prefix of the request's path that leads to the backend. */
  readonly pathPrepend: string;
  /** The location of the page. */
  readonly location: BackendLocation;
  /** The Host header of the client's request. */
  readonly requestHost: string;
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

  /** The X-Forwarded-Uri for a path of the backend. */
  forwardedUri(path: string): string {
    return joined(this.#options.pathPrepend, path);
  }

  /** Returns the link unchanged if it does not lead to the backend, or is no URL. */
  rewrite(link: string): string {
    const { pathPrepend, location, requestHost } = this.#options;
    const parts = URL_PARTS.exec(link);
    if (parts === null) return link;
    const [, scheme = '', host = '', rawPath = '', query = '', fragment = ''] = parts;
    const path = decoded(rawPath);
    if (path === undefined || !path.startsWith('/')) return link;
    if (host !== '' && host !== hostOf(location) && host !== requestHost) return link;
    // The request's URL has neither scheme nor host. So a link to the backend becomes a path, and a link to this
    // server keeps both.
    const origin = host === '' || host !== requestHost ? '' : `${scheme === '' ? '' : `${scheme}:`}//${host}`;
    const target = path.startsWith(pathPrepend) ? path : joined(pathPrepend, path);
    return `${origin}${escapePath(target)}${query}${fragment}`;
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
