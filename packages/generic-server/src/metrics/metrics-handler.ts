import { Buffer } from 'node:buffer';
import type { Handler } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';
import { plainText } from '../serving/transport/plain-text.js';

/** Serves /metrics. With `canReset`, DELETE sets all counts to zero. Upstream: k8s.io/apiserver/pkg/server/routes/metrics.go */
export function metricsHandler(metrics: MetricsRegistry, { canReset }: { readonly canReset: boolean }): Handler {
  return async (exchange) => {
    if (canReset && exchange.request.method === 'DELETE') {
      metrics.reset();
      return plainText(exchange, 200, 'metrics reset\n');
    }
    const { contentType, text } = await metrics.expose();
    exchange.responseHeaders.set('content-type', contentType);
    return { type: 'bytes', status: 200, body: Buffer.from(text) };
  };
}
