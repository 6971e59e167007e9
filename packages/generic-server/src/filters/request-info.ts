import { messageOf } from '@apiserver/apimachinery/errors';
import type { Filter, Logger } from '@apiserver/apiserver-contracts';
import { resolveRequestInfo } from '@apiserver/endpoints-installer';
import { internalError } from './internal-error.js';

/**
 * Determines the RequestInfo for later filters.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/requestinfo.go
 */
export function requestInfo(logger: Logger): Filter {
  return {
    name: 'requestInfo',
    wrap: (next) => (exchange) => {
      try {
        exchange.context.requestInfo = resolveRequestInfo(exchange.request);
      } catch (error) {
        const why = messageOf(error);
        return internalError(exchange, new Error(`failed to create RequestInfo: ${why}`, { cause: error }), logger);
      }
      return next(exchange);
    },
  };
}
