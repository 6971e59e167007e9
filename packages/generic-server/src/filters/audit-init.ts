import type { Exchange, Filter } from '@apiserver/apiserver-contracts';
import { AuditedRequest, type AuditSink } from '@apiserver/audit';

const HEADER = 'audit-id';

/**
 * The outermost filter: sets the Audit-ID header of the response, from the request if the client sent one. Other code
 * reads it from there. `sink` is undefined if nothing is audited.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/audit_init.go
 */
export function auditInit(newAuditId: () => string, sink?: AuditSink): Filter {
  return {
    name: 'auditInit',
    wrap: (next) => (exchange) => {
      const sent = exchange.request.headers.get(HEADER) ?? '';
      exchange.responseHeaders.set(HEADER, sent === '' ? newAuditId() : sent);
      if (sink !== undefined) exchange.context.audit = new AuditedRequest(sink);
      return next(exchange);
    },
  };
}

/** The audit of a request; undefined if there is none. */
export function auditedRequestOf({ context: { audit } }: Exchange): AuditedRequest | undefined {
  return audit instanceof AuditedRequest ? audit : undefined;
}
