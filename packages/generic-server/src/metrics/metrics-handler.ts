import { Buffer } from 'node:buffer';
import type { Handler } from '@apiserver/apiserver-contracts';
import type { MetricsRegistry } from '@apiserver/component-base/metrics';

/** Serves /metrics. Upstream: k8s.io/apiserver/pkg/server/routes/metrics.go */
export function metricsHandler(metrics: MetricsRegistry): Handler {
  return async ({ responseHeaders }) => {
    const { contentType, text } = await metrics.expose();
    responseHeaders.set('content-type', contentType);
    return { type: 'bytes', status: 200, body: Buffer.from(text) };
  };
}
