import { messageOf, newBadRequest } from '@apiserver/apimachinery/errors';
import type { Filter, Logger } from '@apiserver/apiserver-contracts';
import type { AuditConfig } from '@apiserver/audit';
import { parseGoDuration } from '@apiserver/component-base/flags';
import { respondError } from '@apiserver/endpoints-installer';
import type { LongRunningCheck } from '../request/long-running.js';
import { auditedRefusal } from './audit.js';

/** Time limits of requests. */
export interface RequestDeadlineOptions {
  readonly longRunning: LongRunningCheck;
  /** Milliseconds; `?timeout=` may ask for less, never for more. Upstream flag: --request-timeout */
  readonly requestTimeout: number;
  readonly logger: Logger;
  /** Undefined if nothing is audited. */
  readonly audit?: AuditConfig | undefined;
}

/**
 * Sets the deadline of every request that is not long-running, from its arrival.
 * Upstream: k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go
 */
export function requestDeadline({ longRunning, requestTimeout, logger, audit }: RequestDeadlineOptions): Filter {
  return {
    name: 'requestDeadline',
    wrap: (next) => (exchange) => {
      if (longRunning(exchange)) return next(exchange);
      const { request, context } = exchange;
      let timeout = requestTimeout;
      if (request.rawQuery !== '') {
        try {
          timeout = timeoutOf(request.query.get('timeout') ?? '', requestTimeout);
        } catch (error) {
          const why = messageOf(error);
          const message = `invalid timeout specified in the request URL - ${why}`;
          return auditedRefusal(exchange, {
            audit,
            message,
            respond: () => respondError(exchange, newBadRequest(message), logger),
          });
        }
      }
      context.deadline = context.startedAt + timeout;
      return next(exchange);
    },
  };
}

function timeoutOf(requested: string, maximum: number): number {
  if (requested === '') return maximum;
  const milliseconds = parseGoDuration(requested);
  return milliseconds > 0 && milliseconds < maximum ? milliseconds : maximum;
}
