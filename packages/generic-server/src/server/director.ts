import type { Exchange, Handler } from '@apiserver/apiserver-contracts';
import type { ApiContainer } from '@apiserver/endpoints-installer';
import type { PathMux } from '../mux/non-go-restful-mux.js';

/** Paths that depend on installed resources: discovery documents, OpenAPI. */
export interface HandlerSource {
  /** Undefined for a path of other sources. */
  handlerFor(exchange: Exchange): Handler | undefined;
  /** For the index. */
  listedPaths?(): readonly string[];
}

/** Targets of a request, in the order in which they are tried. */
export interface DirectorTargets {
  readonly container: ApiContainer;
  readonly sources: readonly HandlerSource[];
  readonly mux: PathMux;
  /** The next server of the chain, or the handler for unknown paths. */
  readonly otherwise: Handler;
}

/**
 * Sends a request to the API groups, to the other paths, or on to the delegation target.
 * Upstream: k8s.io/apiserver/pkg/server/handler.go (director)
 */
export function createDirector({ container, sources, mux, otherwise }: DirectorTargets): Handler {
  return (exchange) => {
    const handler = container.handlerFor(exchange);
    if (handler !== undefined) return handler(exchange);
    for (const source of sources) {
      const found = source.handlerFor(exchange);
      if (found !== undefined) return found(exchange);
    }
    return (mux.handlerFor(exchange, otherwise) ?? otherwise)(exchange);
  };
}
