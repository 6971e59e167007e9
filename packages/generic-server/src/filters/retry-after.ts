import type { Exchange, Filter } from '@apiserver/apiserver-contracts';
import { plainTextError } from '../serving/transport/plain-text.js';

const exemptPaths = ['/readyz', '/livez', '/healthz', '/metrics'];

/**
 * Requests that are served during the whole shutdown: probes, metrics, and the server's own.
 * Upstream: k8s.io/apiserver/pkg/server/filters/with_retry_after.go
 */
export function isExemptFromRetryAfter({ request }: Exchange): boolean {
  return (
    request.inProcess !== undefined ||
    exemptPaths.some((prefix) => request.path.startsWith(prefix)) ||
    request.headers.get('user-agent')?.startsWith('kube-apiserver/') === true
  );
}

/**
 * Once shutdown rejects new requests, returns 429 and closes the connection, so that clients use another server. In the
 * chain only with --shutdown-send-retry-after.
 * Upstream: k8s.io/apiserver/pkg/server/filters/with_retry_after.go
 */
export function retryAfter(notAcceptingNewRequests: AbortSignal): Filter {
  return {
    name: 'retryAfter',
    wrap: (next) => (exchange) => {
      if (!notAcceptingNewRequests.aborted || isExemptFromRetryAfter(exchange)) return next(exchange);
      exchange.responseHeaders.set('connection', 'close');
      exchange.responseHeaders.set('retry-after', '5');
      return plainTextError(exchange, 429, 'The apiserver is shutting down, please try again later.');
    },
  };
}
