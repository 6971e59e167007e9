import { newGenericServerResponse } from '@apiserver/apimachinery/errors';
import type { Handler, Logger } from '@apiserver/apiserver-contracts';
import { checkRouteAccept, respondError } from '@apiserver/endpoints-installer';
import type { NonGoRestfulMux } from './non-go-restful-mux.js';

/** One document at one path, and the errors of requests that it does not serve. */
export interface WebServiceOptions {
  readonly path: string;
  /** The one media type of the document. */
  readonly mediaType: string;
  readonly logger: Logger;
  /** Handles a GET whose Accept header allows the media type. */
  readonly serve: Handler;
}

/**
 * Serves a document that upstream serves by a web service of go-restful. A slash at the end of the path is ignored.
 * Other methods get 405, other media types 406, and paths below 404; each is a Status.
 *
 * Upstream: github.com/emicklei/go-restful, serviceErrorHandler in k8s.io/apiserver/pkg/server/handler.go
 */
export function installWebService(mux: NonGoRestfulMux, options: WebServiceOptions): void {
  const { path, mediaType, logger, serve } = options;
  const handler: Handler = (exchange) => {
    try {
      if (!isRoot(exchange.request.path, path)) throw newGenericServerResponse({ code: 404 });
      if (exchange.request.method !== 'GET') throw newGenericServerResponse({ code: 405 });
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
  return requested === path || requested === `${path}/`;
}
