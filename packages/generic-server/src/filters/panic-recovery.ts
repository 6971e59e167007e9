import { isStatusError } from '@apiserver/apimachinery/errors';
import type { ApiResponse, Exchange, Filter, Logger } from '@apiserver/apiserver-contracts';
import { plainTextError } from '../serving/transport/plain-text.js';
import { respondRefusal } from './respond-refusal.js';

/**
 * Converts every error to a response. A StatusError contains its response. Any other error is a bug: it is logged with
 * all details and returned without them.
 * Upstream: k8s.io/apiserver/pkg/server/filters/wrap.go
 */
export function panicRecovery(logger: Logger): Filter {
  const respondPanic = (exchange: Exchange, error: unknown): ApiResponse => {
    const { method, url } = exchange.request;
    logger.error(error, "apiserver panic'd", { method, URI: url });
    const text = 'This request caused apiserver to panic. Look in the logs for details.';
    return plainTextError(exchange, 500, text);
  };
  const recover = (exchange: Exchange, error: unknown): ApiResponse | Promise<ApiResponse> => {
    if (!isStatusError(error)) return respondPanic(exchange, error);
    // Its code may be one that HTTP does not have.
    try {
      const response = respondRefusal(exchange, error, logger);
      return response instanceof Promise ? response.catch((fault) => respondPanic(exchange, fault)) : response;
    } catch (fault) {
      return respondPanic(exchange, fault);
    }
  };
  return {
    name: 'panicRecovery',
    wrap: (next) => (exchange) => {
      try {
        const response = next(exchange);
        return response instanceof Promise ? response.catch((error: unknown) => recover(exchange, error)) : response;
      } catch (error) {
        return recover(exchange, error);
      }
    },
  };
}
