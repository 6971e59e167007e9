import { posix } from 'node:path';
import { type BackendLocation, escapePath, hostOf } from '../backend/backend.js';

/** What links of a backend are measured by. */
export interface LinkRewriterOptions {
  /** The part of the request's path that stands for the backend. */
  readonly pathPrepend: string;
  /** Where the page came from. */
  readonly location: BackendLocation;
  /** The Host of the client's request. */
  readonly requestHost: string;
}

/** `[scheme:][//host][path][?query][#fragment]`. Upstream: net/url.Parse */
const URL_PARTS = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/;

/**
 * Changes what a backend says of its own places so that it leads through the proxy. Other hosts and relative paths stay.
 * Upstream: Transport.rewriteURL in k8s.io/apimachinery/pkg/util/proxy/transport.go
 */
export class LinkRewriter {
  readonly #options: LinkRewriterOptions;

  constructor(options: LinkRewriterOptions) {
    this.#options = options;
  }

  /** What X-Forwarded-Uri says of a path of the backend. */
  forwardedUri(path: string): string {
    return joined(this.#options.pathPrepend, path);
  }

  /** Answers the link itself where it is none of the backend's own, and where it is no URL. */
  rewrite(link: string): string {
    const { pathPrepend, location, requestHost } = this.#options;
    const parts = URL_PARTS.exec(link);
    if (parts === null) return link;
    const [, scheme = '', host = '', rawPath = '', query = '', fragment = ''] = parts;
    const path = decoded(rawPath);
    if (path === undefined || !path.startsWith('/')) return link;
    if (host !== '' && host !== hostOf(location) && host !== requestHost) return link;
    // The request's URL has neither scheme nor host: what leads to the backend becomes a path, and what leads to this
    // server keeps both.
    const origin = host === '' || host !== requestHost ? '' : `${scheme === '' ? '' : `${scheme}:`}//${host}`;
    const target = path.startsWith(pathPrepend) ? path : joined(pathPrepend, path);
    return `${origin}${escapePath(target)}${query}${fragment}`;
  }
}

/** Upstream: path.Join, with the slash at the end that it would drop. */
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
