import { newGenericServerResponse } from '@apiserver/apimachinery/errors';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { checkRouteAccept, checkRouteContentType, respondError } from '@apiserver/endpoints-installer';
import type { NonGoRestfulMux } from './non-go-restful-mux.js';

/** One document at one path, and the errors of requests that it does not serve. */
export interface WebServiceOptions {
  readonly path: string;
  /** The one media type of the document. */
  readonly mediaType: string;
  /** Media types that a request may name as that of its body. Default: all. */
  readonly consumed?: readonly string[];
  readonly logger: Logger;
  /** Handles a GET whose Accept header allows the media type. */
  readonly serve: Handler;
}

/**
 * Serves a document that upstream serves by a web service of go-restful. Slashes at the end of the path are ignored.
 * Other methods get 405, other media types of bodies 415, of responses 406, and paths below 404; each is a Status.
 *
 * Upstream: github.com/emicklei/go-restful, serviceErrorHandler in k8s.io/apiserver/pkg/server/handler.go
 */
export function installWebService(mux: NonGoRestfulMux, options: WebServiceOptions): void {
  const { path, mediaType, consumed, logger, serve } = options;
  const handler: Handler = (exchange) => {
    try {
      if (!isRoot(exchange.request.path, path)) throw newGenericServerResponse({ code: 404 });
      if (exchange.request.method !== 'GET') throw newGenericServerResponse({ code: 405 });
      if (consumed !== undefined) checkRouteContentType(exchange, consumed);
      checkRouteAccept(exchange, [mediaType]);
    } catch (error) {
      return respondError(exchange, error, logger);
    }
    return serve(exchange);
  };
  mux.handle(path, handler);
  mux.handlePrefix(`${path}/`, handler, { unlisted: true });
}

function isRoot(requested: string, path: string): boolean {
  return requested.startsWith(path) && /^\/*$/.test(requested.slice(path.length));
}
