import type { Filter } from '@apiserver/apiserver-contracts';

/**
 * Leaves the responses of APIs uncompressed. A server that compresses them does not have it. Upstream feature gate:
 * APIResponseCompression, off
 */
export function uncompressed(): Filter {
  return {
    name: 'uncompressed',
    wrap: (next) => (exchange) => {
      exchange.context.isUncompressed = true;
      return next(exchange);
    },
  };
}
