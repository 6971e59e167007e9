import type { Filter } from '@apiserver/apiserver-contracts';

/**
 * Tells browsers to use TLS only. In the chain only when there are directives.
 * Upstream: k8s.io/apiserver/pkg/server/filters/hsts.go
 */
export function hsts(directives: readonly string[]): Filter {
  const value = directives.join('; ');
  return {
    name: 'hsts',
    wrap: (next) => (exchange) => {
      exchange.responseHeaders.set('strict-transport-security', value);
      return next(exchange);
    },
  };
}

/**
 * Forbids caching of responses, unless the handler overrides it.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/cachecontrol.go
 */
export function cacheControl(): Filter {
  return {
    name: 'cacheControl',
    wrap: (next) => (exchange) => {
      exchange.responseHeaders.set('cache-control', 'no-cache, private');
      return next(exchange);
    },
  };
}
