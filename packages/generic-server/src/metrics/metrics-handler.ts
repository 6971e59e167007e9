import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
import type { Handler } from '@apiserver/apiserver-contracts';
import { type MetricsRegistry, protobufExposition, textExposition } from '@apiserver/component-base/metrics';
import { plainText } from '../serving/transport/plain-text.js';
import { negotiateExposition, prefersCompression } from './negotiate-exposition.js';

/** Settings of `/metrics`. */
export interface MetricsHandlerOptions {
  /** True if DELETE sets all counts to zero. */
  readonly canReset: boolean;
  /** Milliseconds since the epoch. */
  readonly processStart: number;
}

/**
 * Serves /metrics.
 * Upstream: k8s.io/apiserver/pkg/server/routes/metrics.go, promhttp in github.com/prometheus/client_golang
 */
export function metricsHandler(metrics: MetricsRegistry, { canReset, processStart }: MetricsHandlerOptions): Handler {
  const started = String(Math.trunc(processStart / 1_000));
  return async (exchange) => {
    const { request, responseHeaders } = exchange;
    if (canReset && request.method === 'DELETE') {
      metrics.reset();
      return plainText(exchange, 200, 'metrics reset\n');
    }
    const { form, contentType } = negotiateExposition(request.headers.get('accept') ?? '');
    const families = await metrics.gather();
    const body = form === 'text' ? Buffer.from(await textExposition(families)) : protobufExposition(families);
    responseHeaders.set('process-start-time-unix', started);
    responseHeaders.set('content-type', contentType);
    if (!prefersCompression(request.headers)) return { type: 'bytes', status: 200, body };
    responseHeaders.set('content-encoding', 'gzip');
    const { gzip } = await import('node:zlib');
    return { type: 'bytes', status: 200, body: await promisify(gzip)(body) };
  };
}
