import type { Filter } from '@apiserver/apiserver-contracts';

/**
 * Sends GOAWAY for a random part of the HTTP/2 requests, so that clients spread over several servers. Requests in
 * flight are not affected. The filter is part of the chain only with --goaway-chance.
 * Upstream: WithProbabilisticGoaway of k8s.io/apiserver/pkg/server/filters/goaway.go
 */
export function goaway(chance: number, random: () => number): Filter {
  return {
    name: 'probabilisticGoaway',
    wrap: (next) => (exchange) => {
      const { httpVersion, inProcess } = exchange.request;
      const isHttp2 = httpVersion === '2.0' && inProcess === undefined;
      if (isHttp2 && random() < chance) exchange.responseHeaders.set('connection', 'close');
      return next(exchange);
    },
  };
}
