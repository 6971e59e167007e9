import { newServiceUnavailable } from '@apiserver/apimachinery/errors';
import { type Filter, wellKnownGroups } from '@apiserver/apiserver-contracts';
import type { MaintenanceMetrics } from './maintenance-metrics.js';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Refuses writes with a 503, except those of system:masters. In the chain only with `--maintenance-message`. */
export function maintenance(message: string, metrics: MaintenanceMetrics): Filter {
  return {
    name: 'maintenance',
    wrap: (next) => (exchange) => {
      const { requestInfo, user } = exchange.context;
      if (requestInfo === undefined || READS.has(requestInfo.verb)) return next(exchange);
      if (user?.groups.includes(wellKnownGroups.privileged)) return next(exchange);
      metrics.refused(requestInfo.verb);
      exchange.responseHeaders.set('retry-after', '30');
      throw newServiceUnavailable(message);
    },
  };
}
