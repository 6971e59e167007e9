import type { Filter } from '@apiserver/apiserver-contracts';
import type { OriginMatcher } from '../request/origin-matcher.js';

const headers: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

/**
 * Allows browser pages of certain origins to read responses, and responds to their preflight requests. Part of the
 * chain only with --cors-allowed-origins.
 * Upstream: k8s.io/apiserver/pkg/server/filters/cors.go
 */
export function cors(isAllowed: OriginMatcher): Filter {
  return {
    name: 'cors',
    wrap: (next) => (exchange) => {
      const { request, responseHeaders } = exchange;
      const origin = request.headers.get('origin') ?? '';
      if (origin === '' || !isAllowed(origin)) return next(exchange);
      responseHeaders.set('access-control-allow-origin', origin);
      for (const [name, value] of Object.entries(headers)) responseHeaders.set(name, value);
      return request.method === 'OPTIONS' ? { type: 'bytes', status: 204, body: undefined } : next(exchange);
    },
  };
}
