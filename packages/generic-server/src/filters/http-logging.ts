import {
  type ApiRequest,
  type Exchange,
  type ExchangeOutcome,
  type Filter,
  type Logger,
  tracedAuditId,
} from '@apiserver/apiserver-contracts';
import { formatGoDuration } from '@apiserver/component-base/flags';
import { normalizedVerb } from '../metrics/request-labels.js';

/** The added values of requests that get a line. */
const logged = new WeakMap<Exchange, Record<string, unknown>>();

/**
 * Adds values to the line of a request, if it is logged.
 * Upstream: AddKeyValue of k8s.io/apiserver/pkg/server/httplog
 */
export function addLogged(exchange: Exchange, values: Readonly<Record<string, unknown>>): void {
  const added = logged.get(exchange);
  if (added !== undefined) Object.assign(added, values);
}

/** True if the request gets a line. */
export function isLogged(exchange: Exchange): boolean {
  return logged.has(exchange);
}

/** Address and port, as Go's Request.RemoteAddr. */
function peerOf({ remoteAddress, remotePort }: ApiRequest): string {
  if (remotePort === undefined) return remoteAddress;
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

/**
 * Logs one line for each finished request, at -v 3.
 * Upstream: k8s.io/apiserver/pkg/server/httplog
 */
export function httpLogging(logger: Logger): Filter {
  const log = (line: Logger, exchange: Exchange, outcome: ExchangeOutcome) => {
    const { request, context } = exchange;
    const { requestInfo: info } = context;
    line.info('HTTP', {
      verb: info === undefined ? request.method : normalizedVerb(exchange, info),
      URI: request.url,
      latency: formatGoDuration(performance.now() - context.startedAt),
      userAgent: request.headers.get('user-agent') ?? '',
      'audit-ID': tracedAuditId(exchange.responseHeaders),
      srcIP: peerOf(request),
      ...logged.get(exchange),
      ...(outcome.status === 101 ? { hijacked: true } : { resp: outcome.status }),
    });
  };
  return {
    name: 'httpLogging',
    wrap: (next) => (exchange) => {
      const line = logger.v(3);
      if (line === undefined) return next(exchange);
      logged.set(exchange, {});
      exchange.onFinished((outcome) => log(line, exchange, outcome));
      return next(exchange);
    },
  };
}
