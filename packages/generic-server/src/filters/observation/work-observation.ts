import { type Filter, observed, tracedAuditId } from '@apiserver/apiserver-contracts';

/**
 * Lets storage and webhooks report their work for a request that is audited or traced. The filter is part of the chain
 * only if some are. Upstream: WithLatencyTrackers of k8s.io/apiserver/pkg/endpoints/filters/webhook_duration.go
 */
export function workObservation(): Filter {
  return {
    name: 'workObservation',
    wrap: (next) => (exchange) => {
      const { audit, span } = exchange.context;
      if (audit === undefined && span === undefined) return next(exchange);
      const auditId = tracedAuditId(exchange.responseHeaders);
      return observed({ audit, span, auditId }, () => next(exchange));
    },
  };
}
