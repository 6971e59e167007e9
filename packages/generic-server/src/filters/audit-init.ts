import { Buffer } from 'node:buffer';
import type { Filter } from '@apiserver/apiserver-contracts';

const header = 'audit-id';

/**
 * Outermost: gives every request an audit ID, the client's own if it sent one, and returns it in the Audit-ID header.
 * Other code reads it there.
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
