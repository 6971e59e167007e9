import { Buffer } from 'node:buffer';
import type { Filter } from '@apiserver/apiserver-contracts';

const header = 'audit-id';

/**
 * The outermost filter: sets the Audit-ID header of the response, from the request if the client sent one. Other code
 * reads it from there.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/audit_init.go
 */
export function auditInit(newAuditId: () => string): Filter {
  return {
    name: 'auditInit',
    wrap: (next) => (exchange) => {
      const sent = exchange.request.headers.get(header) ?? '';
      exchange.responseHeaders.set(header, sent === '' ? newAuditId() : asText(sent));
      return next(exchange);
    },
  };
}

/** Node reads a header byte by byte, but writes it in UTF-8. */
function asText(value: string): string {
  return /[\x80-\xff]/.test(value) ? Buffer.from(value, 'latin1').toString() : value;
}
